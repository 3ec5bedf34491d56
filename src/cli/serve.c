/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plimsoll serve */
#include "cli/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/print.h"
#include "cli/serve_options.h"
#include "net/listen.h"

static const char WHO[] = "plimsoll serve";
enum { EXIT_USAGE = 2, EXIT_FAILED = 3, HELP_MAX_BYTES = 1 << 16 };

/* Signal handlers have no argument: the one server of this process. */
static struct serve *volatile running;

static void on_signal(int number)
{
    if (running == NULL)
        return;
    if (number == SIGHUP)
        serve_reload(running);
    else
        serve_stop(running);
}

static void watch_signals(struct serve *s)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

    running = s;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static void print_addresses(const struct serve *s, FILE *to)
{
    size_t count;
    const struct serve_address *addresses = serve_addresses(s, &count);

    for (size_t i = 0; i < count; i++)
        fprintf(to, "listening on %s\n", addresses[i].url);
}

/* Who started us may be reading a pipe. A server that cannot say where it listens serves all the same. */
static void announce(const struct serve *s)
{
    print_addresses(s, stdout);
    if (fflush(stdout) == 0)
        return;
    cli_note(WHO, "cannot write the addresses to standard output: %s; they follow here", strerror(errno));
    clearerr(stdout);
    print_addresses(s, stderr);
}

static int write_certificate(const struct serve *s, const char *path, struct err *err)
{
    if (path == NULL)
        return 0;
    if (file_write(path, slice_str(serve_certificate_pem(s)), err) == 0)
        return 0;
    return err_prefix(err, "--cert-out %s", path);
}

static int run_server(struct serve *s, const struct serve_options *o)
{
    struct err err = { 0 };

    if (write_certificate(s, o->cert_out, &err) != 0) {
        cli_complain(WHO, &err);
        return EXIT_USAGE;
    }
    watch_signals(s);
    if (!o->quiet)
        announce(s);
    if (serve_wait(s) == 0)
        return 0;
    cli_note(WHO, "requests in flight were cut off at the end of --grace");
    return EXIT_FAILED;
}

/* NULL when it is not set, or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* What platforms tell an application; options win. */
static void take_environment(struct serve_config *config)
{
    if (config->data_root == NULL)
        config->data_root = variable("DATA_ROOT");
    if (config->token == NULL && !config->open_writes)
        config->token = variable("PLIMSOLL_TOKEN");
    config->s3_key_id = variable("AWS_ACCESS_KEY_ID");
    config->s3_secret = variable("AWS_SECRET_ACCESS_KEY");
    config->s3_session_token = variable("AWS_SESSION_TOKEN");
    config->s3_region = variable("AWS_REGION");
}

static void on_trouble(void *arg, const char *text)
{
    (void)arg;
    cli_note(WHO, "%s", text);
}

static int take_vcap(struct serve_config *config, struct err *err)
{
    const char *vcap = getenv("VCAP_APPLICATION");

    return vcap != NULL && vcap[0] != '\0' ? serve_config_add_vcap(config, vcap, err) : 0;
}

static int with_options(struct serve_options *o)
{
    struct serve_config config;
    struct serve *s = NULL;
    struct err err = { 0 };
    int code;

    net_raise_open_files();
    serve_options_config(o, &config);
    take_environment(&config);
    config.on_trouble = on_trouble;
    code = take_vcap(&config, &err) != 0 || serve_start(&s, &config, &err) != 0 ? cli_complain(WHO, &err)
                                                                                : run_server(s, o);
    running = NULL;
    serve_free(s);
    serve_config_release(&config);
    return code;
}

static int print_help(void)
{
    struct buf text;

    buf_init(&text, HELP_MAX_BYTES);
    options_help(serve_options_table(), &text);
    cli_print(stdout, &text);
    return 0;
}

int cmd_serve(int argc, char **argv)
{
    struct serve_options options;
    struct err err = { 0 };
    bool help;
    int code;

    serve_options_init(&options);
    if (serve_options_parse(&options, argc, argv, getenv("PORT"), &help, &err) != 0)
        code = cli_complain(WHO, &err);
    else
        code = help ? print_help() : with_options(&options);
    serve_options_release(&options);
    return code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pods of Kubernetes, as its metrics server knows them: figures of the last 15 s or so, through kubectl. */
#include "watch/source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch/command.h"
#include "watch/named_values.h"

struct kubectl_source {
    struct source source;
    char *names_space, *selector; /* selector NULL: all pods */
    int cancel_fd;
    struct buf printed;
};

static int kubectl_read(struct source *source, struct reading *out, struct err *err)
{
    struct kubectl_source *s = (struct kubectl_source *)source;
    const char *const argv[] = { "kubectl",
                                 "top",
                                 "pods",
                                 "--no-headers",
                                 "--namespace",
                                 s->names_space,
                                 s->selector != NULL ? "--selector" : NULL,
                                 s->selector,
                                 NULL };
    const struct command_call call = { "kubectl", argv, COMMAND_TIMEOUT_NS, s->cancel_fd };

    if (command_run(&s->printed, &call, err) != 0)
        return -1;
    return pod_list_read(out, buf_slice(&s->printed), err);
}

static void kubectl_close(struct source *source)
{
    struct kubectl_source *s = (struct kubectl_source *)source;

    free(s->names_space);
    free(s->selector);
    buf_release(&s->printed);
    free(s);
}

static bool is_in_path(const char *program)
{
    struct slice rest = slice_str(getenv("PATH"));
    char path[PATH_MAX];

    while (rest.len > 0) {
        const struct slice directory = slice_split(&rest, ':');

        if (snprintf(path, sizeof(path), "%.*s/%s", SLICE_FMT(directory), program) < (int)sizeof(path) &&
            access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* A name by RFC 1123, as namespaces have them. */
static bool is_namespace(struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '-' && i > 0)))
            return false;
    }
    return name.len > 0;
}

int kubectl_open(struct source **out, struct slice what, const struct source_context *context, struct err *err)
{
    static const struct source_ops OPS = { .read = kubectl_read, .close = kubectl_close };
    struct slice selector = what;
    const struct slice name = slice_split(&selector, '/');
    struct kubectl_source *s;

    if (!is_namespace(name) || (selector.len > 0 && selector.ptr[0] == '-')) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is not a namespace and a selector", SLICE_FMT(what));
        return err_hint(err, "for example --watch gateway=kubectl:shop/app=gateway");
    }
    if (!is_in_path("kubectl")) {
        err_set(err, ERR_CONFIG, 0, "there is no kubectl in the directories of PATH");
        return err_hint(err, "install it, or add its directory to PATH");
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch pods");
    s->source.ops = &OPS;
    s->cancel_fd = context->cancel_fd;
    buf_init(&s->printed, COMMAND_OUTPUT_MAX_BYTES);
    s->names_space = slice_dup(name);
    s->selector = selector.len > 0 ? slice_dup(selector) : NULL;
    if (s->names_space == NULL || (selector.len > 0 && s->selector == NULL)) {
        kubectl_close(&s->source);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch pods");
    }
    *out = &s->source;
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/job_options.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/load_values.h"
#include "cli/object_store.h"
#include "cli/option_values.h"

#define MIB (UINT64_C(1) << 20)
#define DEFAULT_CLAIM_BYTES (UINT64_C(1) << 30)
#define LONGEST_NS (UINT64_C(30) * 24 * 3600 * NS_PER_S)
#define NAME_MAX_BYTES 45u /* pods add an index and a mark, and a label has 63 */

static int parse_word(void *field, const char *text, const struct option_row *row, struct err *err)
{
    return strlist_add(field, slice_str(text)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* A DNS label (RFC 1123): Kubernetes takes no other names, and the rest of the world takes these. */
static int parse_name(void *field, const char *text, const struct option_row *row, struct err *err)
{
    const size_t len = strlen(text);
    bool good = len > 0 && len <= NAME_MAX_BYTES && text[0] != '-' && text[len > 0 ? len - 1 : 0] != '-';

    for (size_t i = 0; i < len; i++)
        good = good && is_name_byte(text[i]);
    if (!good) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is no name of a job", text);
        return err_hint(err, "small letters, digits and - between them, at most %u: --%s %s", NAME_MAX_BYTES, row->name,
                        row->example);
    }
    *(const char **)field = text;
    return 0;
}

static int parse_size(void *field, const char *text, const struct option_row *row, struct err *err)
{
    uint64_t bytes;

    if (units_parse_size(slice_str(text), &bytes, err) != 0)
        return -1;
    if (bytes < MIB) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is too small", text);
        return err_hint(err, "at least 1MiB, for example --%s %s", row->name, row->example);
    }
    *(uint64_t *)field = bytes;
    return 0;
}

/* Would be taken for an option by the scheduler or a shell's commands. */
static int parse_no_option(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (option_text(field, text, row, err) != 0)
        return -1;
    if (text[0] != '-')
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" begins with a dash", text);
    return err_hint(err, "for example --%s %s", row->name, row->example);
}

/* Braces would be taken for {share}, or for parallel's own {}. */
static int parse_folder(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (strpbrk(text, "{}") != NULL) {
        err_set(err, ERR_USAGE, 0, "\"%s\" has braces in it", text);
        return err_hint(err, "a plain name, for example --%s %s", row->name, row->example);
    }
    return parse_no_option(field, text, row, err);
}

/* struct job_options */
static int parse_parts(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct job_options *o = field;

    if (!object_store_is(text))
        return parse_folder(&o->parts, text, row, err);
    if (object_store_check(text, err) != 0)
        return -1;
    o->store = text;
    return 0;
}

/* clang-format off */
#define FIELD(name) .offset = offsetof(struct job_options, name)

static const struct option_row ROWS[] = {
    { .heading = "The shares" },
    { .name = "shares", .short_name = 'n', .argument = "N", .example = "4",
      .help = "as how many processes the plan runs; connections, requests and rate are divided among them exactly; required",
      .parse = option_count, FIELD(shares), .min = 1, .max = 10000 },
    { .name = "per-machine", .argument = "N", .shown_default = "1", .example = "2",
      .help = "at most so many shares on one machine",
      .parse = option_count, FIELD(per_machine), .min = 1, .max = 1000 },
    { .name = "start-in", .argument = "TIME", .shown_default = "30s, kubernetes: 2m", .example = "1m",
      .help = "all begin together so long after the script starts, or the manifest was printed: time enough for the last one to be there",
      .parse = option_duration, FIELD(start_in_ns), .min = NS_PER_S, .max = LONGEST_NS },
    { .name = "time-limit", .argument = "TIME", .shown_default = "what the plan needs, or 1h", .example = "20m",
      .help = "the scheduler ends the job after this time",
      .parse = option_duration, FIELD(time_limit_ns), .min = NS_PER_S, .max = LONGEST_NS },
    { .name = "cpus", .argument = "N", .example = "2",
      .help = "CPUs of each share (kubernetes, slurm)",
      .parse = option_count, FIELD(cpus), .min = 1, .max = 4096 },
    { .name = "memory", .argument = "SIZE", .example = "1GiB",
      .help = "memory of each share (kubernetes, slurm)",
      .parse = parse_size, FIELD(memory_bytes) },
    { .name = "open-files", .argument = "N", .shown_default = "its connections and 128", .example = "20000",
      .help = "open files that each share asks for (ulimit -n)",
      .parse = option_count, FIELD(open_files), .min = 64, .max = 10000000 },
    { .name = "parts", .argument = "DIR|URL", .shown_default = "plimsoll-parts", .example = "/shared/run-7",
      .help = "folder of the shares' results, which all machines see (mpi, slurm); of this machine (ssh); of kubernetes a store of objects in place of a claim, s3://BUCKET/PREFIX or an http(s) URL that takes PUT",
      .parse = parse_parts, .offset = 0 },
    { .name = "suite-path", .argument = "PATH", .example = "/shared/suites/ingress.yaml",
      .help = "of run: the suite is there on every machine, with all that it names; else the text brings the suite's own file along",
      .parse = parse_no_option, FIELD(suite_path) },
    { .name = "program", .argument = "PATH", .shown_default = "plimsoll", .example = "/opt/plimsoll/bin/plimsoll",
      .help = "plimsoll on the machines of the shares",
      .parse = parse_no_option, FIELD(program) },
    { .name = "name", .argument = "NAME", .shown_default = "plimsoll", .example = "router-soak",
      .help = "name of the job (kubernetes, slurm)",
      .parse = parse_name, FIELD(name) },

    { .heading = "Which machines" },
    { .name = "hosts", .short_name = 'H', .argument = "HOST[,HOST...]", .example = "a.test,b.test",
      .help = "run there (ssh, mpi); as ssh or mpirun take them: user@host, host:slots",
      .parse = parse_no_option, FIELD(hosts) },
    { .name = "hosts-file", .argument = "FILE", .example = "hosts.txt",
      .help = "the same from a file, a line each: parallel's --sshloginfile, mpirun's --hostfile",
      .parse = parse_no_option, FIELD(hosts_file) },
    { .name = "launcher", .argument = "WORD", .example = "--partition=short",
      .help = "one more word for sbatch, mpirun or parallel, may be repeated",
      .parse = option_list, FIELD(launcher) },

    { .heading = "Kubernetes" },
    { .name = "image", .argument = "IMAGE", .shown_default = "plimsoll:" PLIMSOLL_VERSION, .example = "registry.test/plimsoll:1",
      .help = "image with plimsoll and a shell",
      .parse = option_text, FIELD(image) },
    { .name = "namespace", .argument = "NAME", .example = "load-tests",
      .help = "namespace of all objects",
      .parse = parse_name, FIELD(name_space) },
    { .name = "claim", .argument = "NAME", .example = "shared",
      .help = "an existing claim (ReadWriteMany) for the parts, instead of one of the job's own",
      .parse = parse_name, FIELD(claim) },
    { .name = "claim-size", .argument = "SIZE", .shown_default = "1GiB", .example = "10GiB",
      .help = "size of the job's own claim",
      .parse = parse_size, FIELD(claim_bytes) },

    { .heading = "Running it" },
    { .name = "apply",
      .help = "do not print it: run it with kubectl, sbatch, mpirun or parallel, show how each share goes, merge the parts, report",
      .parse = option_flag, FIELD(apply) },
    { .name = "keep",
      .help = "leave the objects of the job in the cluster (kubernetes)",
      .parse = option_flag, FIELD(keep) },
    { .name = "json", .argument = "FILE", .example = "merged.json",
      .help = "write the merged result there; else it is merged.json among the parts",
      .parse = parse_no_option, FIELD(json) },
    { .name = "progress", .argument = "auto|none|json", .shown_default = "auto", .example = "json",
      .help = "on standard error while it runs: auto shows a line on a terminal, json writes an object for each share",
      .parse = load_value_progress, FIELD(progress) },

    { .heading = "Other" },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] =
    "Examples:\n"
    "  plimsoll job slurm -n 8 -- load -c 8000 -r 200k/s -d 5m http://router.test/ >job.sh\n"
    "      read it, change it, then: sbatch job.sh\n"
    "  plimsoll job kubernetes -n 4 --cpus 2 -- load -c 400 -d 1m http://svc/ | kubectl apply -f -\n"
    "      an Indexed Job of 4 pods on 4 nodes, and one that merges\n"
    "  plimsoll job mpi -n 4 --hosts-file nodes --apply -- load -n 1000000 http://svc.test/\n"
    "      runs it here and now, with mpirun\n"
    "  plimsoll job ssh -n 3 -H a.test,b.test,c.test -- load -r 30k/s http://svc.test/\n"
    "      a line of GNU parallel\n"
    "  plimsoll job slurm -n 4 -- limit --slo 'p99<50ms' --from 41k/s -c 400 http://svc.test/\n"
    "      the rounds that confirm a level, and one above it, from 4 machines\n"
    "  plimsoll job mpi -n 2 --hosts-file nodes -- run ingress.yaml -s target=http://svc/\n"
    "      every sample of a suite, each from 2 machines\n"
    "\n"
    "The command behind -- is that of the whole plan: 4 shares of -c 400 open 100\n"
    "connections each. Secrets are not printed: the text takes them from variables of\n"
    "the environment, which its first lines name.\n"
    "\n"
    "Exit status: 0 ok; 2 wrong usage, or the scheduler's program is not here or takes\n"
    "no job; with --apply, and of the scripts, that of the merged result: 1 a promise\n"
    "is broken; 3 invalid; 4 of limit, a level above is kept too; 130 interrupted, the\n"
    "job was cancelled. More: man plimsoll-job\n";

static const struct option_table TABLE = {
    .command = "plimsoll job",
    .usage = "kubernetes|slurm|mpi|ssh -n N [OPTION]... -- load|limit|run [ARGUMENT]...",
    .summary = "Prints the manifest or script that runs a plan as N shares under the scheduler you have, all "
               "beginning at one moment, and merges their results exactly. Nothing is run unless --apply is given.",
    .rows = ROWS,
    .argument = parse_word,
    .argument_offset = offsetof(struct job_options, words),
    .epilogue = EPILOGUE,
};

void job_options_init(struct job_options *o)
{
    memset(o, 0, sizeof(*o));
    o->per_machine = 1;
    o->name = "plimsoll";
    o->program = "plimsoll";
    o->parts = "plimsoll-parts";
    o->image = "plimsoll:" PLIMSOLL_VERSION;
    o->claim_bytes = DEFAULT_CLAIM_BYTES;
}

void job_options_release(struct job_options *o)
{
    strlist_release(&o->words);
    strlist_release(&o->launcher);
    memset(o, 0, sizeof(*o));
}

void job_options_help(struct buf *out)
{
    options_help(&TABLE, out);
}

static int find_engine(struct job_options *o, struct err *err)
{
    struct suggestion s;

    if (o->words.count == 0) {
        err_set(err, ERR_USAGE, 0, "the scheduler is missing");
        return err_hint(err, "plimsoll job kubernetes|slurm|mpi|ssh -n 4 -- load URL");
    }
    o->engine = job_engine_of(slice_str(o->words.items[0]));
    if (o->engine != JOB_ENGINES)
        return 0;
    suggest_init(&s, slice_str(o->words.items[0]));
    for (int i = 0; i < JOB_ENGINES; i++)
        suggest_consider(&s, job_engine_name((enum job_engine)i));
    err_set(err, ERR_USAGE, 0, "\"%s\" is no scheduler that is known", o->words.items[0]);
    return s.word != NULL ? err_hint(err, "did you mean %s? kubernetes, slurm, mpi and ssh are known", s.word)
                          : err_hint(err, "kubernetes, slurm, mpi and ssh are known");
}

/* Without --, a word like -n may be the command's or ours: not guessed. */
static int check_dashes(const struct job_options *o, int argc, char **argv, struct err *err)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return 0;
    err_set(err, ERR_USAGE, 0, o->words.count > 1 ? "no -- stands before the command" : "no command was given");
    return err_hint(err, "it stands behind --: plimsoll job %s -n 4 -- load URL", o->words.items[0]);
}

#define ONLY_OF(...) ((const int[]){ __VA_ARGS__, -1 })

static bool is_of(enum job_engine engine, const int *engines)
{
    while (*engines >= 0 && *engines != (int)engine)
        engines++;
    return *engines >= 0;
}

/* What the scheduler at hand has no use for. */
static int check_foreign(const struct job_options *o, struct err *err)
{
    const struct {
        const char *name;
        bool given;
        const int *engines;
    } rows[] = {
        { "hosts", o->hosts != NULL, ONLY_OF(JOB_MPI, JOB_SSH) },
        { "hosts-file", o->hosts_file != NULL, ONLY_OF(JOB_MPI, JOB_SSH) },
        { "launcher", o->launcher.count > 0, ONLY_OF(JOB_SLURM, JOB_MPI, JOB_SSH) },
        { "cpus", o->cpus > 0, ONLY_OF(JOB_KUBERNETES, JOB_SLURM) },
        { "memory", o->memory_bytes > 0, ONLY_OF(JOB_KUBERNETES, JOB_SLURM) },
        { "namespace", o->name_space != NULL, ONLY_OF(JOB_KUBERNETES) },
        { "claim", o->claim != NULL, ONLY_OF(JOB_KUBERNETES) },
        { "parts URL", o->store != NULL, ONLY_OF(JOB_KUBERNETES) },
        { "keep", o->keep, ONLY_OF(JOB_KUBERNETES) },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!rows[i].given || is_of(o->engine, rows[i].engines))
            continue;
        err_set(err, ERR_USAGE, 0, "--%s has no meaning under %s", rows[i].name, job_engine_name(o->engine));
        return err_hint(err, "leave it out; plimsoll job --help says whose it is");
    }
    return 0;
}

static int count_hosts(const struct job_options *o, uint64_t *count, struct err *err)
{
    struct slice rest = slice_str(o->hosts);
    struct buf text;

    *count = 0;
    while (rest.len > 0)
        *count += slice_trim(slice_split(&rest, ',')).len > 0;
    if (o->hosts_file == NULL)
        return 0;
    buf_init(&text, MIB);
    if (file_read(o->hosts_file, &text, err) != 0) {
        buf_release(&text);
        return err_prefix(err, "--hosts-file");
    }
    rest = buf_slice(&text);
    while (rest.len > 0) {
        const struct slice line = slice_trim(slice_split(&rest, '\n'));

        *count += line.len > 0 && line.ptr[0] != '#';
    }
    buf_release(&text);
    return 0;
}

/* parallel would let the shares that do not fit wait, and they would all be late. */
static int check_hosts(const struct job_options *o, struct err *err)
{
    uint64_t hosts;

    if (o->engine != JOB_SSH)
        return 0;
    if (o->hosts == NULL && o->hosts_file == NULL) {
        err_set(err, ERR_USAGE, 0, "no machine was named");
        return err_hint(err, "-H a.test,b.test or --hosts-file FILE; : is this machine");
    }
    if (count_hosts(o, &hosts, err) != 0)
        return -1;
    if (hosts * o->per_machine >= o->shares)
        return 0;
    err_set(err, ERR_USAGE, 0, "%llu shares do not fit on %llu machine%s with %llu each", (unsigned long long)o->shares,
            (unsigned long long)hosts, units_plural(hosts), (unsigned long long)o->per_machine);
    return err_hint(err, "name more machines, or --per-machine %llu",
                    (unsigned long long)(hosts > 0 ? (o->shares + hosts - 1) / hosts : 1));
}

static int check(struct job_options *o, int argc, char **argv, struct err *err)
{
    if (find_engine(o, err) != 0 || check_dashes(o, argc, argv, err) != 0)
        return -1;
    if (o->shares == 0) {
        err_set(err, ERR_USAGE, 0, "the number of shares is missing");
        return err_hint(err, "plimsoll job %s -n 4 -- load URL", o->words.items[0]);
    }
    if (o->start_in_ns == 0)
        o->start_in_ns = (o->engine == JOB_KUBERNETES ? 120 : 30) * (uint64_t)NS_PER_S;
    return check_foreign(o, err) != 0 ? -1 : check_hosts(o, err);
}

int job_options_parse(struct job_options *o, int argc, char **argv, bool *help, struct err *err)
{
    if (options_parse(&TABLE, o, argc, argv, help, NULL, err) != 0)
        return -1;
    return *help ? 0 : check(o, argc, argv, err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a run leaves: tried out before it, written after it. A failure of one never loses the others. */
#ifndef PLIMSOLL_CLI_OUTPUTS_H
#define PLIMSOLL_CLI_OUTPUTS_H

#include "cli/load_options.h"
#include "report/text.h"
#include "result/result.h"

/* Tries to write beside each file, so that a wrong directory, a missing right or a full disk is told before the run and
 * not after it. ERR_CONFIG names the option and the path. Existing files are left as they are. */
MUST_CHECK int outputs_check(const struct load_outputs *o, struct err *err);
/* The same for a directory that is to get files; it is made when it is missing. */
MUST_CHECK int outputs_check_directory(const char *option, const char *path, struct err *err);

/* Writes json, csv and hdr (the log is written during the run). False when any failed: it is then complained about. */
bool outputs_write(const struct load_outputs *o, const struct result *r, const char *who);

/* The text report, to standard output, or to standard error when one of the outputs has standard output or when it can
 * not be written there (then false, and complained about). */
bool outputs_report(const struct load_outputs *o, const struct result *r, const char *who);
/* The same in another form than report_text()'s. */
struct report_form {
    void (*render)(struct buf *out, const struct result *r, const struct report_text_options *options);
    bool verbose;
};
bool outputs_report_as(const struct load_outputs *o, const struct result *r, const struct report_form *form,
                       const char *who);
/* The text report. 0, or an errno. */
MUST_CHECK int outputs_print(FILE *to, const struct result *r);
bool outputs_use_stdout(const struct load_outputs *o);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a form as users write them: NAME=VALUE, or NAME=@FILE[;type=TYPE][;filename=NAME]. */
#ifndef PLIMSOLL_CLI_LOAD_FORM_H
#define PLIMSOLL_CLI_LOAD_FORM_H

#include "load/load.h"

/* The parts of given, whose texts are kept in *texts. The caller frees *out. ERR_USAGE or ERR_CONFIG (a file that can
 * not be read) names the part. */
MUST_CHECK int load_form_make(struct load_part **out, struct strlist *texts, const struct strlist *given,
                              struct err *err);

#endif

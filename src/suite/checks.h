/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample made of questions: each check is asked over HTTP and the fields of its JSON answer become metrics, called
 * CHECK.NAME (or CHECK alone, where the check has one metric of the same name). */
#ifndef PLIMSOLL_SUITE_CHECKS_H
#define PLIMSOLL_SUITE_CHECKS_H

#include "suite/sample.h"

/* A check that gets no answer, or another status than 2xx, makes the document invalid, with the reason. A field that
 * the answer lacks is absent, with a warning; without a single figure the document is invalid. */
MUST_CHECK int checks_run(const struct sampler *x, struct result *r, struct err *err);
/* Before anything is asked: no two figures of a sample have one name. ERR_CONFIG with the check's line. */
MUST_CHECK int checks_judge(const struct suite *s, const struct names *names, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Included by force (-include) into every file of ours: calls that can not be used safely do not compile. */
#ifndef PLIMSOLL_BASE_BANNED_H
#define PLIMSOLL_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A macro in glibc: a poisoned macro would draw a warning in every file. */
#undef alloca
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets atoi atol atoll rand srand random srandom \
    alloca localtime gmtime ctime asctime strtok tmpnam

#endif

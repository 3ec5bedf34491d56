/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outside library of this room. Included by force before base/banned.h (meson.build does it): its header holds
 * macros with alloca(), which we do not use, but which is poisoned for us. */
#ifndef PLIMSOLL_DOC_OUTSIDE_H
#define PLIMSOLL_DOC_OUTSIDE_H

#include <libfyaml.h>

#endif

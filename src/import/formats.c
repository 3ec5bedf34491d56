/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

const struct importer IMPORTERS[IMPORT_FORMAT_COUNT] = {
    [IMPORT_PLIMSOLL] = { plimsoll_looks_like, plimsoll_read, false },
    [IMPORT_AB] = { ab_looks_like, ab_read, false },
};

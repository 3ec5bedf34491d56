/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

const struct importer IMPORTERS[IMPORT_FORMAT_COUNT] = {
    [IMPORT_PLIMSOLL] = { plimsoll_looks_like, plimsoll_read, false },
    [IMPORT_AB] = { ab_looks_like, ab_read, false },
    [IMPORT_AB_E] = { ab_e_looks_like, ab_e_read, false },
    [IMPORT_AB_G] = { ab_g_looks_like, ab_g_read, true },
    [IMPORT_MB] = { mb_looks_like, mb_read, true },
    [IMPORT_WRK] = { wrk_looks_like, wrk_read, false },
    [IMPORT_H2LOAD] = { h2load_looks_like, h2load_read, false },
    [IMPORT_HEY] = { hey_looks_like, hey_read, false },
    [IMPORT_HEY_CSV] = { hey_csv_looks_like, hey_csv_read, true },
    [IMPORT_OHA] = { oha_looks_like, oha_read, false },
    [IMPORT_VEGETA] = { vegeta_looks_like, vegeta_read, false },
    [IMPORT_K6] = { k6_looks_like, k6_read, false },
    [IMPORT_FORTIO] = { fortio_looks_like, fortio_read, false },
    [IMPORT_HYPERFINE] = { hyperfine_looks_like, hyperfine_read, false },
    [IMPORT_TOUCHSTONE] = { touchstone_looks_like, touchstone_read, false },
    [IMPORT_ROUTER] = { router_looks_like, router_read, false },
};

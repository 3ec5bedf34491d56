/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct libcurl table;
static bool is_ready;
static char why_not[256];

#ifdef PLIMSOLL_LIBCURL_LINKED

static bool fill_table(void)
{
#define LIBCURL_TAKE(name) table.name = curl_##name;
    LIBCURL_CALLS(LIBCURL_TAKE)
#undef LIBCURL_TAKE
    return true;
}

#else

/* A function pointer can not be cast from void * in ISO C; its bytes can be copied (POSIX, dlsym). */
static bool take(void *library, const char *name, void *function, size_t len)
{
    void *found = dlsym(library, name);

    if (found == NULL) {
        snprintf(why_not, sizeof(why_not), "libcurl.so.4 has no %s", name);
        return false;
    }
    memcpy(function, &found, len);
    return true;
}

static bool fill_table(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        snprintf(why_not, sizeof(why_not), "libcurl can not be loaded (%s); Debian's package is libcurl4", dlerror());
        return false;
    }
#define LIBCURL_TAKE(name)                                                        \
    if (!take(library, "curl_" #name, (void *)&table.name, sizeof(table.name))) { \
        return false;                                                             \
    }
    LIBCURL_CALLS(LIBCURL_TAKE)
#undef LIBCURL_TAKE
    return true;
}

#endif

static void load(void)
{
    CURLcode code = CURLE_OK;

    if (!fill_table()) {
        return;
    }
    code = table.global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) {
        snprintf(why_not, sizeof(why_not), "libcurl can not start: %s", table.easy_strerror(code));
        return;
    }
    is_ready = true;
}

const struct libcurl *libcurl_load(struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!is_ready) {
        err_set(err, ERR_SYSTEM, 0, "%s", why_not);
        return NULL;
    }
    return &table;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/tls_internal.h"

#include <pthread.h>
#include <string.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/provider.h>

#define PROVIDER_NAME "plimsoll"
enum { ALGORITHMS_MAX = 64 };

/* Made once for the whole process and kept: contexts of all threads use it, as they would use the library's own. */
static struct {
    pthread_once_t once;
    OSSL_LIB_CTX *whole; /* where the default provider lives */
    OSSL_PROVIDER *standard;
    OSSL_LIB_CTX *lean;
    OSSL_ALGORITHM decoders[ALGORITHMS_MAX + 1];
    OSSL_ALGORITHM keys[ALGORITHMS_MAX + 1];
} shared = { .once = PTHREAD_ONCE_INIT };

/* The first of an algorithm's names ("X25519:1.3.101.110") is in the list. */
static bool is_among(const OSSL_ALGORITHM *algorithm, const char *const *names)
{
    struct slice rest = slice_str(algorithm->algorithm_names);
    struct slice name = slice_split(&rest, ':');

    for (; *names != NULL; names++) {
        if (slice_eq_nocase(name, slice_str(*names))) {
            return true;
        }
    }
    return false;
}

/* Public keys of kinds that can sign, as certificates have them. */
static bool is_decoder_wanted(const OSSL_ALGORITHM *algorithm)
{
    static const char *const NO_SIGNERS[] = { "DH", "DHX", "X25519", "X448", "SM2", NULL };

    return strstr(algorithm->property_definition, "structure=SubjectPublicKeyInfo") != NULL &&
           !is_among(algorithm, NO_SIGNERS);
}

static bool is_key_wanted(const OSSL_ALGORITHM *algorithm)
{
    static const char *const NOT_IN_TLS[] = { "SCRYPT", "SIPHASH", "POLY1305", "CMAC", "SM2", NULL };

    return !is_among(algorithm, NOT_IN_TLS);
}

static void pick(OSSL_ALGORITHM out[ALGORITHMS_MAX + 1], const OSSL_ALGORITHM *all,
                 bool (*is_wanted)(const OSSL_ALGORITHM *))
{
    size_t count = 0;

    for (const OSSL_ALGORITHM *a = all; a != NULL && a->algorithm_names != NULL; a++) {
        if (is_wanted(a) && count < ALGORITHMS_MAX) {
            out[count++] = *a;
        }
    }
    out[count] = (OSSL_ALGORITHM){ 0 };
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
{
    (void)context;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_DECODER:
        return shared.decoders;
    case OSSL_OP_KEYMGMT:
        return shared.keys;
    default:
        return OSSL_PROVIDER_query_operation(shared.standard, operation, no_cache);
    }
}

static int capabilities(void *context, const char *capability, OSSL_CALLBACK *callback, void *arg)
{
    (void)context;
    return OSSL_PROVIDER_get_capabilities(shared.standard, capability, callback, arg);
}

/* What the library asks of a provider; the algorithms themselves are the default provider's own. */
static int start_provider(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                          void **context)
{
    static const OSSL_DISPATCH TABLE[] = {
        { OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
        { OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))capabilities },
        { 0, NULL },
    };

    (void)handle;
    (void)in;
    *context = OSSL_PROVIDER_get0_provider_ctx(shared.standard);
    *out = TABLE;
    return 1;
}

static bool load_standard(void)
{
    int no_cache;

    shared.whole = OSSL_LIB_CTX_new();
    shared.standard = shared.whole != NULL ? OSSL_PROVIDER_load(shared.whole, "default") : NULL;
    if (shared.standard == NULL) {
        return false;
    }
    pick(shared.decoders, OSSL_PROVIDER_query_operation(shared.standard, OSSL_OP_DECODER, &no_cache),
         is_decoder_wanted);
    pick(shared.keys, OSSL_PROVIDER_query_operation(shared.standard, OSSL_OP_KEYMGMT, &no_cache), is_key_wanted);
    return true;
}

static void make(void)
{
    OSSL_LIB_CTX *lean = OSSL_LIB_CTX_new();

    if (lean != NULL && load_standard() && OSSL_PROVIDER_add_builtin(lean, PROVIDER_NAME, start_provider) == 1 &&
        OSSL_PROVIDER_load(lean, PROVIDER_NAME) != NULL) {
        shared.lean = lean;
    } else {
        OSSL_LIB_CTX_free(lean);
        ERR_clear_error();
    }
}

OSSL_LIB_CTX *tls_lean_library(void)
{
    pthread_once(&shared.once, make);
    return shared.lean;
}

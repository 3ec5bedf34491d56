/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of others in scripts and manifests, and lines that come back: what is quoted reads back as it was. */
#include "job/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "doc/doc.h"
#include "job/quote.h"

#define TEXT_MAX ((size_t)1 << 20)

static void check(bool good)
{
    if (!good)
        abort();
}

/* What a shell makes of one word that is plain, or in single quotes. */
static void unquote(struct buf *out, struct slice text)
{
    bool quoted = false;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'')
            quoted = !quoted;
        else if (text.ptr[i] == '\\' && !quoted && i + 1 < text.len)
            buf_add_char(out, text.ptr[++i]);
        else
            buf_add_char(out, text.ptr[i]);
        check(quoted || text.ptr[i] == '\'' || strchr(" \t\n;|&<>()$`\"*?[]#~!{}", text.ptr[i]) == NULL);
    }
    check(!quoted);
}

static void check_shell(struct slice word)
{
    struct buf quoted, back;

    buf_init(&quoted, TEXT_MAX);
    buf_init(&back, TEXT_MAX);
    quote_shell(&quoted, word);
    unquote(&back, buf_slice(&quoted));
    check(quoted.len > 0 && slice_eq(buf_slice(&back), word));
    buf_release(&quoted);
    buf_release(&back);
}

static void check_yaml(struct slice text)
{
    struct err err = { 0 };
    struct doc *doc = NULL;
    struct buf out, lines;

    buf_init(&out, TEXT_MAX);
    buf_init(&lines, TEXT_MAX);
    buf_add_str(&lines, "set\n");
    buf_add_slice(&lines, text);
    buf_add_char(&lines, '\n');
    buf_add_str(&out, "a: ");
    quote_yaml(&out, text);
    buf_add_str(&out, "\nb:");
    quote_yaml_lines(&out, buf_slice(&lines), 0);
    buf_add_str(&out, "c: z\n");
    check(buf_ok(&out) && doc_parse(&doc, "fuzz", buf_slice(&out), &err) == 0);
    check(slice_eq(doc_text(doc_find(doc_root(doc), "a")), text));
    check(slice_eq(doc_text(doc_find(doc_root(doc), "b")), buf_slice(&lines)));
    check(slice_eq(doc_text(doc_find(doc_root(doc), "c")), SLICE("z")));
    doc_free(doc);
    buf_release(&out);
    buf_release(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = slice_from((const char *)data, size);
    struct job_progress progress;
    struct slice rest;
    uint64_t share;

    if (size > 4096)
        return 0;
    for (int engine = 0; engine < JOB_ENGINES; engine++)
        if (job_line((enum job_engine)engine, text, &share, &rest))
            check(share > 0 && rest.len <= text.len);
    if (job_progress_read(&progress, text))
        check(progress.elapsed_s >= 0 && memchr(progress.stage, '\0', sizeof(progress.stage)) != NULL);
    if (memchr(data, '\0', size) != NULL)
        return 0;
    check_shell(text);
    if (utf8_is_valid(text))
        check_yaml(text);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Gate (a): text from outside becomes safe here, at the moment it enters. After text_clean() a string is valid UTF-8 with no
 * control, bidirectional, zero-width, format, tag or variation-selector characters (shown as \xNN or \u{NNNN}), private-use
 * and unmeasurable code points are U+FFFD, at most two combining marks follow a base character.
 * One width function for the whole program: columns of the terminal, 0 for combining marks, 1 or 2 else.
 */
#ifndef GPUPLAN_BASE_TEXT_H
#define GPUPLAN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cleans src[0..len) into out (cap >= 1), cut at a character boundary, always NUL-terminated; returns the length written. */
size_t text_clean(char *out, size_t cap, const char *src, size_t len);
bool text_is_clean(const char *s, size_t len);

int text_width(const char *s);            /* columns of a clean string */
int text_char_width(uint32_t code_point); /* 0, 1 or 2 */
/* Decodes one code point at s (NUL-terminated); returns bytes used, 0 at the end; invalid bytes give U+FFFD and 1. */
int text_decode(const char *s, uint32_t *code_point);
/* Length in bytes of the longest prefix of s that takes at most `columns`; *used (may be NULL) gets the columns. */
size_t text_fit(const char *s, int columns, int *used);

bool text_equal_fold(const char *a, const char *b); /* ASCII case-insensitive */
bool text_contains_fold(const char *haystack, const char *needle);
void text_trim(const char **s, size_t *len); /* ASCII white space at both ends */

/*
 * Nearest of `count` names to `word` by edit distance (case-insensitive, transpositions count 1), or NULL when none is within
 * a third of the length; failing a slip of one letter, the shortest name that the word begins. For "did you mean".
 */
const char *text_nearest(const char *word, const char *const *names, size_t count);

/* Gate for exits other than the screen. Both append to a buf declared in buf.h. */
struct buf;
/* Quotes where needed; a cell that starts with = + - @ TAB CR gets a ' in front unless it is a plain number. */
void text_csv_cell(struct buf *out, const char *s);
void text_shell_word(struct buf *out, const char *s); /* single-quoted */
void text_markdown_cell(struct buf *out, const char *s);

#endif

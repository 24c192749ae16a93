/* SPDX-License-Identifier: MIT */
/*
 * expression = all { "or" all } ; all = one { "and" one } ;
 * one = "not" one | "(" expression ")" | word operator value
 * What is not stated meets no comparison but != and !~ ; "ram=unknown" asks for it by name.
 */
#include "gpuplan/decide/filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "filter_words.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

enum node_kind { NODE_OR, NODE_AND, NODE_NOT, NODE_TEST };
enum operator{ OP_EQUAL, OP_UNEQUAL, OP_LESS, OP_LESS_EQUAL, OP_MORE, OP_MORE_EQUAL, OP_LIKE, OP_UNLIKE, OP_COUNT };
/* Longer spellings first, so that "<=" is not read as "<". */
static const struct {
    const char *text;
    enum operator op;
} operators[] = {{"<=", OP_LESS_EQUAL}, {">=", OP_MORE_EQUAL}, {"!=", OP_UNEQUAL}, {"!~", OP_UNLIKE}, {"==", OP_EQUAL},
                 {"=", OP_EQUAL},       {"<", OP_LESS},        {">", OP_MORE},     {"~", OP_LIKE}};

enum { MAX_DEPTH = 32, MAX_NODES = 512, MAX_VALUE = 96 };

struct node {
    enum node_kind kind;
    int left, right; /* NOT: left; indexes, never pointers */
    const struct filter_word *word;
    enum operator op;
    size_t start, stop; /* in the text, of a clause */
    bool unknown;       /* compared with the word "unknown" */
    double number;
    char text[MAX_VALUE];
};

struct filter {
    struct node nodes[MAX_NODES];
    int count, root;
};

struct parser {
    const char *text;
    size_t at;
    int depth;
    struct filter *f;
    struct err *err;
};

static int parse_or(struct parser *p);

static void skip_blanks(struct parser *p) {
    while (isspace((unsigned char)p->text[p->at]))
        p->at++;
}

static bool is_word_byte(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == ':' || c == '/' || c == '%' ||
           c == '$' || c == '*' || (unsigned char)c >= 0x80;
}

/* The keyword, if it stands here as a word of its own. */
static bool take_keyword(struct parser *p, const char *keyword) {
    size_t len = strlen(keyword);
    skip_blanks(p);
    if (strncmp(p->text + p->at, keyword, len) != 0 || is_word_byte(p->text[p->at + len]))
        return false;
    p->at += len;
    return true;
}

static bool take_char(struct parser *p, char c) {
    skip_blanks(p);
    if (p->text[p->at] != c)
        return false;
    p->at++;
    return true;
}

static int fail(struct parser *p, size_t at, const char *what, const char *found) {
    p->at = at;
    err_set(p->err, ERR_USAGE, "column %zu: %s%s%s%s", at + 1, what, *found ? " \"" : "", found, *found ? "\"" : "");
    return -1;
}

static int add_node(struct parser *p, enum node_kind kind, int left, int right) {
    if (p->f->count == MAX_NODES)
        return fail(p, p->at, "the filter is too long", "");
    struct node *n = &p->f->nodes[p->f->count];
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->left = left;
    n->right = right;
    return p->f->count++;
}

static bool take_token(struct parser *p, char *out, size_t cap) {
    skip_blanks(p);
    char quote = p->text[p->at];
    size_t start = p->at, len;
    if (quote == '"' || quote == '\'') {
        start++;
        const char *end = strchr(p->text + start, quote);
        if (!end)
            return false;
        len = (size_t)(end - (p->text + start));
        p->at = start + len + 1;
    } else {
        len = 0;
        while (is_word_byte(p->text[start + len]))
            len++;
        p->at = start + len;
        if (len == 0)
            return false;
    }
    text_clean(out, cap, p->text + start, len);
    return true;
}

static int take_operator(struct parser *p) {
    skip_blanks(p);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t len = strlen(operators[i].text);
        if (strncmp(p->text + p->at, operators[i].text, len) == 0) {
            p->at += len;
            return (int)operators[i].op;
        }
    }
    return -1;
}

static int unknown_word(struct parser *p, size_t at, const char *word) {
    size_t count;
    const char *const *names = filter_words(&count);
    const char *near = text_nearest(word, names, count);
    p->at = at;
    if (near)
        err_set(p->err, ERR_USAGE, "column %zu: unknown word \"%s\", did you mean \"%s\"?", at + 1, word, near);
    else
        err_set(p->err, ERR_USAGE, "column %zu: unknown word \"%s\"; `gpuplan list filter` shows them", at + 1, word);
    return -1;
}

static int set_value(struct parser *p, int at_node, size_t at) {
    struct node *n = &p->f->nodes[at_node];
    n->unknown = strcmp(n->text, "unknown") == 0 && (n->op == OP_EQUAL || n->op == OP_UNEQUAL);
    if (n->unknown || n->word->text) {
        bool orders = n->op >= OP_LESS && n->op <= OP_MORE_EQUAL;
        return orders ? fail(p, at, "only = != ~ !~ compare text; this word is text:", n->word->name) : at_node;
    }
    if (n->op == OP_LIKE || n->op == OP_UNLIKE)
        return fail(p, at, "~ compares text; this word is a number:", n->word->name);
    if (!num_parse(n->text[0] == '$' ? n->text + 1 : n->text, n->word->unit, false, &n->number))
        return fail(p, at, "not a number:", n->text);
    return at_node;
}

static int parse_test(struct parser *p) {
    char word[MAX_VALUE];
    skip_blanks(p);
    size_t at = p->at;
    if (!take_token(p, word, sizeof word))
        return fail(p, at, p->text[at] ? "expected a word, not" : "the filter ends where a word should stand",
                    p->text + at);
    const struct filter_word *w = filter_word_find(word);
    if (!w)
        return unknown_word(p, at, word);
    skip_blanks(p);
    at = p->at;
    int op = take_operator(p);
    if (op < 0)
        return fail(p, at, "expected one of = != < <= > >= ~ !~ after", word);
    int node = add_node(p, NODE_TEST, -1, -1);
    if (node < 0)
        return -1;
    struct node *n = &p->f->nodes[node];
    n->word = w;
    n->op = (enum operator)op;
    skip_blanks(p);
    at = p->at;
    if (!take_token(p, n->text, sizeof n->text))
        return fail(p, at, "expected a value after", word);
    return set_value(p, node, at);
}

static int parse_one(struct parser *p) {
    if (p->depth++ > MAX_DEPTH)
        return fail(p, p->at, "the filter is nested too deeply", "");
    int node;
    skip_blanks(p);
    size_t start = p->at;
    if (take_keyword(p, "not")) {
        node = parse_one(p);
        node = node < 0 ? -1 : add_node(p, NODE_NOT, node, -1);
    } else if (take_char(p, '(')) {
        node = parse_or(p);
        if (node >= 0 && !take_char(p, ')'))
            node = fail(p, p->at, "expected )", "");
    } else {
        node = parse_test(p);
    }
    p->depth--;
    if (node >= 0) {
        p->f->nodes[node].start = start;
        p->f->nodes[node].stop = p->at;
    }
    return node;
}

static int parse_chain(struct parser *p, enum node_kind kind, const char *keyword, int (*next)(struct parser *)) {
    int left = next(p);
    while (left >= 0 && take_keyword(p, keyword)) {
        int right = next(p);
        left = right < 0 ? -1 : add_node(p, kind, left, right);
    }
    return left;
}

static int parse_and(struct parser *p) {
    return parse_chain(p, NODE_AND, "and", parse_one);
}

static int parse_or(struct parser *p) {
    return parse_chain(p, NODE_OR, "or", parse_and);
}

struct filter *filter_parse(const char *text, struct err *err, size_t *at) {
    struct parser p = {.text = text, .f = mem_zero(1, sizeof(struct filter)), .err = err};
    p.f->root = parse_or(&p);
    skip_blanks(&p);
    if (p.f->root >= 0 && p.text[p.at])
        p.f->root = fail(&p, p.at, "expected `and`, `or` or the end, not", p.text + p.at);
    if (at)
        *at = p.at;
    if (p.f->root >= 0) {
        if (p.f->nodes[p.f->root].kind == NODE_OR)
            p.f->nodes[p.f->root].stop = p.at; /* all of it is one clause */
        return p.f;
    }
    err_at(err, NULL, 0, 0, "filter");
    free(p.f);
    return NULL;
}

void filter_free(struct filter *f) {
    free(f);
}

static bool test_number(const struct node *n, double x) {
    if (n->unknown)
        return num_known(x) == (n->op == OP_UNEQUAL);
    if (!num_known(x))
        return n->op == OP_UNEQUAL;
    double y = n->number;
    switch (n->op) {
    case OP_LESS:
        return x < y;
    case OP_LESS_EQUAL:
        return x <= y;
    case OP_MORE:
        return x > y;
    case OP_MORE_EQUAL:
        return x >= y;
    default:
        return (x >= y && x <= y) == (n->op == OP_EQUAL);
    }
}

static bool test_text(const struct node *n, const char *s) {
    bool empty = *s == '\0' || strcmp(s, "unknown") == 0;
    if (n->unknown)
        return empty == (n->op == OP_EQUAL);
    bool like = n->op == OP_LIKE || n->op == OP_UNLIKE;
    bool hit = like ? text_contains_fold(s, n->text) : text_equal_fold(s, n->text);
    return hit == (n->op == OP_EQUAL || n->op == OP_LIKE);
}

static bool eval(const struct filter *f, int at, const struct filter_subject *s) {
    const struct node *n = &f->nodes[at];
    switch (n->kind) {
    case NODE_OR:
        return eval(f, n->left, s) || eval(f, n->right, s);
    case NODE_AND:
        return eval(f, n->left, s) && eval(f, n->right, s);
    case NODE_NOT:
        return !eval(f, n->left, s);
    default:
        return n->word->number ? test_number(n, n->word->number(s)) : test_text(n, n->word->text(s));
    }
}

bool filter_match(const struct filter *f, const struct catalog *c, const struct offers *o, const struct offer *offer) {
    const struct filter_subject s = {c, o, offer};
    return eval(f, f->root, &s);
}

size_t filter_clauses(const struct filter *f) {
    size_t n = 1;
    for (int at = f->root; f->nodes[at].kind == NODE_AND; at = f->nodes[at].left)
        n++;
    return n;
}

/* Clauses lean to the left: the last one is the right branch of the root. */
bool filter_match_without(const struct filter *f, size_t clause, const struct catalog *c, const struct offers *o,
                          const struct offer *offer) {
    const struct filter_subject s = {c, o, offer};
    size_t i = filter_clauses(f) - 1;
    int at = f->root;
    for (; f->nodes[at].kind == NODE_AND; at = f->nodes[at].left, i--)
        if (i != clause && !eval(f, f->nodes[at].right, &s))
            return false;
    return clause == 0 || eval(f, at, &s);
}

void filter_clause_span(const struct filter *f, size_t clause, size_t *start, size_t *len) {
    size_t i = filter_clauses(f) - 1;
    int at = f->root, node;
    for (; f->nodes[at].kind == NODE_AND && i != clause; at = f->nodes[at].left)
        i--;
    node = f->nodes[at].kind == NODE_AND ? f->nodes[at].right : at;
    *start = f->nodes[node].start;
    *len = f->nodes[node].stop - f->nodes[node].start;
}

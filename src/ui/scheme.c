/* SPDX-License-Identifier: MIT */
#include "ui/scheme.h"

#include <stddef.h>

#include "gpuplan/base/text.h"

enum { OWN = -1, RED = 1, GREEN = 2, YELLOW = 3, BLUE = 4, MAGENTA = 5, CYAN = 6 };

static const char *const names[SCHEME_COUNT] = {"default", "light", "mono", "colorblind"};

/*
 * One row a role. White is not used: on a light background nobody sees it. Yellow is bold where the background may be dark
 * and not used where it is light; the colour-blind scheme tells good from bad by blue and yellow, never by green and red.
 */
static const struct look looks[ROLE_COUNT][SCHEME_COUNT] = {
    [ROLE_TEXT] = {{OWN, 0}, {OWN, 0}, {OWN, 0}, {OWN, 0}},
    [ROLE_DIM] = {{OWN, LOOK_DIM}, {OWN, LOOK_DIM}, {OWN, LOOK_DIM}, {OWN, LOOK_DIM}},
    [ROLE_TITLE] = {{OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}},
    [ROLE_HEADER] = {{CYAN, LOOK_UNDERLINE}, {BLUE, LOOK_UNDERLINE}, {OWN, LOOK_UNDERLINE}, {CYAN, LOOK_UNDERLINE}},
    [ROLE_SORTED] = {{CYAN, LOOK_BOLD | LOOK_UNDERLINE},
                     {BLUE, LOOK_BOLD | LOOK_UNDERLINE},
                     {OWN, LOOK_BOLD | LOOK_UNDERLINE},
                     {CYAN, LOOK_BOLD | LOOK_UNDERLINE}},
    [ROLE_CURSOR] = {{OWN, LOOK_REVERSE}, {OWN, LOOK_REVERSE}, {OWN, LOOK_REVERSE}, {OWN, LOOK_REVERSE}},
    [ROLE_MARKED] = {{YELLOW, LOOK_BOLD}, {MAGENTA, LOOK_BOLD}, {OWN, LOOK_BOLD}, {YELLOW, LOOK_BOLD}},
    [ROLE_TAB] = {{OWN, LOOK_DIM}, {OWN, 0}, {OWN, 0}, {OWN, LOOK_DIM}},
    [ROLE_TAB_CURRENT] = {{OWN, LOOK_BOLD | LOOK_REVERSE},
                          {OWN, LOOK_BOLD | LOOK_REVERSE},
                          {OWN, LOOK_BOLD | LOOK_REVERSE},
                          {OWN, LOOK_BOLD | LOOK_REVERSE}},
    [ROLE_KEY] = {{OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}},
    [ROLE_KEY_LABEL] = {{CYAN, LOOK_REVERSE}, {BLUE, LOOK_REVERSE}, {OWN, LOOK_REVERSE}, {CYAN, LOOK_REVERSE}},
    [ROLE_BORDER] = {{OWN, LOOK_DIM}, {OWN, LOOK_DIM}, {OWN, 0}, {OWN, LOOK_DIM}},
    [ROLE_PROMPT] = {{OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}},
    [ROLE_PROMPT_FAILED] = {{RED, LOOK_BOLD}, {RED, LOOK_BOLD}, {OWN, LOOK_REVERSE}, {YELLOW, LOOK_BOLD}},
    [ROLE_FIELD] = {{CYAN, 0}, {BLUE, 0}, {OWN, 0}, {CYAN, 0}},
    [ROLE_FIELD_OPEN] = {{OWN, LOOK_UNDERLINE | LOOK_BOLD},
                         {OWN, LOOK_UNDERLINE | LOOK_BOLD},
                         {OWN, LOOK_UNDERLINE | LOOK_BOLD},
                         {OWN, LOOK_UNDERLINE | LOOK_BOLD}},
    [ROLE_ASSUMED] = {{OWN, LOOK_DIM}, {OWN, LOOK_DIM}, {OWN, LOOK_DIM}, {OWN, LOOK_DIM}},
    [ROLE_GOOD] = {{GREEN, 0}, {GREEN, 0}, {OWN, 0}, {BLUE, LOOK_BOLD}},
    [ROLE_TIGHT] = {{YELLOW, LOOK_BOLD}, {MAGENTA, 0}, {OWN, LOOK_BOLD}, {OWN, LOOK_BOLD}},
    [ROLE_BAD] = {{RED, LOOK_BOLD}, {RED, LOOK_BOLD}, {OWN, LOOK_BOLD | LOOK_UNDERLINE}, {YELLOW, LOOK_BOLD}},
    [ROLE_PART1] = {{BLUE, 0}, {BLUE, 0}, {OWN, 0}, {BLUE, 0}},
    [ROLE_PART2] = {{CYAN, 0}, {CYAN, 0}, {OWN, 0}, {CYAN, 0}},
    [ROLE_PART3] = {{GREEN, 0}, {GREEN, 0}, {OWN, 0}, {OWN, 0}},
    [ROLE_PART4] = {{YELLOW, LOOK_BOLD}, {MAGENTA, 0}, {OWN, 0}, {YELLOW, LOOK_BOLD}},
    [ROLE_PART5] = {{MAGENTA, 0}, {RED, 0}, {OWN, 0}, {MAGENTA, 0}},
    [ROLE_PART6] = {{OWN, 0}, {OWN, 0}, {OWN, 0}, {BLUE, LOOK_BOLD}},
    [ROLE_PART7] = {{OWN, LOOK_DIM}, {OWN, LOOK_DIM}, {OWN, 0}, {OWN, LOOK_DIM}},
};

const char *scheme_name(enum scheme s) {
    return names[s];
}

int scheme_find(const char *name) {
    for (int i = 0; i < SCHEME_COUNT; i++) {
        if (text_equal_fold(name, names[i])) {
            return i;
        }
    }
    return -1;
}

struct look scheme_look(enum scheme s, enum role r) {
    return looks[r][s];
}

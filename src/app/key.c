/* SPDX-License-Identifier: MIT */
#include "gpuplan/app/key.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/text.h"

/* The first name of a key is the one that is printed. Ctrl-H, Ctrl-I, Ctrl-J and Ctrl-M are other keys by nature. */
static const struct {
    const char *name;
    int key;
} names[] = {
    {"Enter", KEY_CODE_ENTER},
    {"Tab", KEY_CODE_TAB},
    {"Esc", KEY_CODE_ESCAPE},
    {"Escape", KEY_CODE_ESCAPE},
    {"Backspace", KEY_CODE_BACKSPACE},
    {"Space", ' '},
    {"Up", KEY_CODE_UP},
    {"Down", KEY_CODE_DOWN},
    {"Left", KEY_CODE_LEFT},
    {"Right", KEY_CODE_RIGHT},
    {"Home", KEY_CODE_HOME},
    {"End", KEY_CODE_END},
    {"PgUp", KEY_CODE_PAGE_UP},
    {"PgDn", KEY_CODE_PAGE_DOWN},
    {"Ins", KEY_CODE_INSERT},
    {"Del", KEY_CODE_DELETE},
    {"S-Tab", KEY_CODE_BACK_TAB},
    {"Shift-Tab", KEY_CODE_BACK_TAB},
};
enum { NAME_COUNT = sizeof names / sizeof names[0], FUNCTION_KEYS = KEY_CODE_F12 - KEY_CODE_F1 + 1 };
static const char control[] = "Ctrl-";

static int find_function_key(const char *name) {
    char *end;
    if (toupper((unsigned char)name[0]) != 'F' || !isdigit((unsigned char)name[1]))
        return -1;
    long number = strtol(name + 1, &end, 10);
    return *end == '\0' && number >= 1 && number <= FUNCTION_KEYS ? KEY_CODE_F1 + (int)number - 1 : -1;
}

int key_find(const char *name) {
    uint32_t code_point;
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (text_equal_fold(names[i].name, name))
            return names[i].key;
    size_t len = strlen(control);
    if (strlen(name) == len + 1 && isalpha((unsigned char)name[len]) && strncmp(name, control, len) == 0)
        return KEY_CTRL(name[len]);
    int used = text_decode(name, &code_point);
    if (used > 0 && name[used] == '\0' && code_point > ' ' && code_point != KEY_CODE_BACKSPACE)
        return (int)code_point;
    return find_function_key(name);
}

/* A code point as UTF-8. */
static size_t put_code_point(unsigned cp, char out[5]) {
    static const unsigned char leads[] = {0x00, 0xC0, 0xE0, 0xF0};
    int tail = cp < 0x80 ? 0 : cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
    out[0] = (char)(leads[tail] | cp >> (6 * tail));
    for (int i = 1; i <= tail; i++)
        out[i] = (char)(0x80 | (cp >> (6 * (tail - i)) & 0x3F));
    out[tail + 1] = '\0';
    return (size_t)tail + 1;
}

size_t key_text(int key, char *out, size_t cap) {
    char utf8[5];
    int n = 0;
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (names[i].key == key)
            return (size_t)snprintf(out, cap, "%s", names[i].name);
    if (key >= KEY_CODE_F1 && key <= KEY_CODE_F12)
        n = snprintf(out, cap, "F%d", key - KEY_CODE_F1 + 1);
    else if (key > 0 && key < ' ')
        n = snprintf(out, cap, "%s%c", control, key + 'A' - 1);
    else if (key >= ' ' && key < KEY_CODE_SPECIAL) {
        put_code_point((unsigned)key, utf8);
        n = snprintf(out, cap, "%s", utf8);
    } else {
        n = snprintf(out, cap, "?");
    }
    return (size_t)n;
}

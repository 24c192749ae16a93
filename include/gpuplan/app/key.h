/* SPDX-License-Identifier: MIT */
/* Keys as the app sees them: a Unicode code point, or one of these. ui/ translates what the terminal sends. */
#ifndef GPUPLAN_APP_KEY_H
#define GPUPLAN_APP_KEY_H

#include <stddef.h>

enum key {
    KEY_CODE_ENTER = '\r',
    KEY_CODE_TAB = '\t',
    KEY_CODE_ESCAPE = 0x1B,
    KEY_CODE_BACKSPACE = 0x7F,
    KEY_CODE_SPECIAL = 0x110000, /* above all code points */
    KEY_CODE_UP,
    KEY_CODE_DOWN,
    KEY_CODE_LEFT,
    KEY_CODE_RIGHT,
    KEY_CODE_HOME,
    KEY_CODE_END,
    KEY_CODE_PAGE_UP,
    KEY_CODE_PAGE_DOWN,
    KEY_CODE_INSERT,
    KEY_CODE_DELETE,
    KEY_CODE_BACK_TAB,
    KEY_CODE_F1, /* … KEY_CODE_F1 + 11 */
    KEY_CODE_F12 = KEY_CODE_F1 + 11,
    KEY_CODE_COUNT
};
#define KEY_CTRL(letter) ((letter) & 0x1F)

int key_find(const char *name);                          /* "j", "F3", "Ctrl-L", "Enter", "PgDn"; -1 */
size_t key_text(int key, char *out, size_t cap);         /* the name that key_find() takes */

#endif

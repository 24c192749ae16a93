/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"

static void set_up_locale(void) {
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* strtod, printf and cJSON follow it, and files must not */
#ifdef ENABLE_NLS
    const char *folder = getenv("GPUPLAN_LOCALEDIR"); /* so that translations can be tried before they are installed */
    bindtextdomain(PACKAGE, folder != NULL ? folder : LOCALEDIR);
    textdomain(PACKAGE);
#endif
}

int main(int argc, char **argv) {
    set_up_locale();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("%s\n", PACKAGE_STRING);
        return 0;
    }
    fprintf(stderr, "%s: %s\n", PACKAGE, "only --version is there yet");
    return 2;
}

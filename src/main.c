/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdlib.h>

#include "cli/cli.h"
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
    return cli_main(argc, argv);
}

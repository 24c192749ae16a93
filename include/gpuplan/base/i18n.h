/* SPDX-License-Identifier: MIT */
/* Only report/, view/ and cli/ call _() and ngettext(); tables elsewhere mark their labels with N_(). */
#ifndef GPUPLAN_BASE_I18N_H
#define GPUPLAN_BASE_I18N_H

#ifdef ENABLE_NLS
#include <libintl.h>
#define _(text) gettext(text)
#else
#define _(text) (text)
#define ngettext(one, many, count) ((count) == 1 ? (one) : (many))
#endif
#define N_(text) text

#endif

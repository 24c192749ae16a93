#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The screens in a made-up language whose texts are longer and stand in brackets two columns wide: nothing is cut short by
# a width that was counted in English or in bytes.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

program=$top_builddir/tests/test_view
if ! command -v msgfilter >/dev/null || ! command -v xgettext >/dev/null; then
    skip "screens in a wide language" "no gettext tools"
    finish
fi
if ! grep -q '^#define ENABLE_NLS 1' "$top_builddir/config.h" || [ ! -x "$program" ]; then
    skip "screens in a wide language" "built without translations or tests"
    finish
fi

folder=$scratch/locale/de/LC_MESSAGES
mkdir -p "$folder"
xgettext -L C -k_ -kN_ -kngettext:1,2 --from-code=UTF-8 --add-comments=TRANSLATORS: -D "$top_srcdir" \
    -f "$top_srcdir/po/POTFILES.in" -o "$scratch/gpuplan.pot"
# shellcheck disable=SC2016
msgen "$scratch/gpuplan.pot" 2>/dev/null |
    sed -e 's/charset=CHARSET/charset=UTF-8/' -e 's/nplurals=INTEGER; plural=EXPRESSION/nplurals=2; plural=(n != 1)/' |
    msgfilter --keep-header sed -e '1s/^/［/' -e '$s/$/］/' >"$scratch/de.po" 2>/dev/null
check "a wide language can be made" msgfmt -c -o "$folder/gpuplan.mo" "$scratch/de.po"
check "screens in a wide language" env GOLDEN_LANGUAGE=de GPUPLAN_LOCALEDIR="$scratch/locale" "$program"
finish

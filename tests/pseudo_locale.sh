#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every sentence for people can be translated, and what programs read (JSON, CSV) never is: the program runs in a made-up
# language whose texts are all in brackets.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

if ! command -v msgfilter >/dev/null || ! command -v xgettext >/dev/null; then
    skip "made-up language" "no gettext tools"
    finish
fi

# The names of po/POTFILES.in are relative to the source folder.
pot=$scratch/gpuplan.pot
check "strings can be extracted" xgettext -L C -k_ -kN_ -kngettext:1,2 --from-code=UTF-8 --add-comments=TRANSLATORS: \
    -D "$top_srcdir" -f "$top_srcdir/po/POTFILES.in" -o "$pot"
# Brackets go around the text; a newline at its end stays at its end, as msgfmt -c demands.
# shellcheck disable=SC2016
msgen "$pot" 2>/dev/null | sed -e 's/charset=CHARSET/charset=UTF-8/' -e 's/nplurals=INTEGER; plural=EXPRESSION/nplurals=2; plural=(n != 1)/' |
    msgfilter --keep-header sed -e '1s/^/[[/' -e '$s/$/]]/' >"$scratch/xx.po" 2>/dev/null
mkdir -p "$scratch/locale/de/LC_MESSAGES"
check "formats and line ends are kept" msgfmt -c -o "$scratch/locale/de/LC_MESSAGES/gpuplan.mo" "$scratch/xx.po"

locales=${LOCPATH:-$scratch/c}
if [ ! -d "$locales/de_DE.UTF-8" ]; then
    mkdir -p "$locales"
    localedef -i de_DE -f UTF-8 "$locales/de_DE.UTF-8" >/dev/null 2>&1
fi

# in_language PROGRAM-ARGUMENT...
in_language() {
    env LOCPATH="$locales" LC_ALL=de_DE.UTF-8 LANGUAGE=de GPUPLAN_LOCALEDIR="$scratch/locale" "$GPUPLAN" "$@" 2>&1
}

in_english() {
    env LC_ALL=C.UTF-8 "$GPUPLAN" "$@" 2>&1
}

if [ ! -d "$locales/de_DE.UTF-8" ]; then
    skip "texts are translated" "no de_DE locale"
elif ! in_english rank -n 1 >/dev/null; then
    skip "texts are translated" "this build cannot rank"
elif ! in_language rank -n 3 | grep -q '\[\['; then
    skip "texts are translated" "built without translations"
else
    for words in "--help" "rank --help" "rank -n 3" "fit" "list fields"; do
        # shellcheck disable=SC2086
        check "gpuplan $words is translated" grep -q '\[\[' <<<"$(in_language $words)"
    done
    now=2026-04-01T00:00:00Z
    for words in "rank -n 5 --format json" "rank -n 5 --format csv" "list gpus --format json"; do
        # shellcheck disable=SC2086
        same "gpuplan $words is not" "$(in_language $words --now $now | md5sum)" "$(in_english $words --now $now | md5sum)"
    done
fi
finish

# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the script tests. Each check prints a line that tests/sum_results counts; the script ends with `finish`.
# The test harness gives GPUPLAN (the program), top_srcdir and top_builddir; started by hand, a test uses build/.
set -u
: "${top_srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
: "${GPUPLAN:=$top_builddir/gpuplan}"
failures=0

# check NAME COMMAND...: the command must succeed; what it wrote is shown when it does not.
check() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "ok - $name"
    else
        failures=$((failures + 1))
        echo "not ok - $name"
        printf '%s\n' "$said" | head -n 20 | sed 's/^/#   /'
    fi
}

# same NAME GOT WANTED
same() {
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        failures=$((failures + 1))
        echo "not ok - $1"
        printf '#   got:    %s\n#   wanted: %s\n' "$2" "$3"
    fi
}

# skip NAME WHY
skip() {
    echo "ok - $1 # SKIP $2"
}

# The folder of recordings of real tools and providers; empty where there is none.
shared_dir=${SHARED_DIR:-$top_srcdir/../shared}
[ -d "$shared_dir" ] || shared_dir=

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

finish() {
    exit $((failures > 0))
}

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Mapping files on the command line: the worked example of docs/sources.md as it stands there, --mapping, --explain, the
# user's folder, and that the tables of the document have every field and source.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

export LC_ALL=C.UTF-8 COLUMNS=100 HOME=$scratch XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
unset NO_COLOR LANGUAGE
doc=$top_srcdir/docs/sources.md

# run STATUS ARGUMENT...: standard output in $out, standard error in $said.
run() {
    local want=$1 got=0
    shift
    out=$("$GPUPLAN" "$@" --now 2026-03-25T00:00:00Z 2>"$scratch/err") || got=$?
    said=$(cat "$scratch/err")
    same "exit status of: ${*//$scratch\//}" "$got" "$want"
}

# explains PART: on standard error, whatever the number of blanks.
explains() {
    check "it explains: $1" grep -qF -- "$1" <<<"$(tr -s ' ' <<<"$said")"
}

# has PART
has() {
    check "output has: $1" grep -qF -- "$1" <<<"$out"
}

# ---- the worked example ----

awk -v dir="$scratch" '/^```json$/ { n++; next } /^```$/ { n += n == 1 || n == 3; next } n == 1 { print > dir "/borealis.json" }
    n == 3 { print > dir "/mapping.json" }' "$doc"
run 0 import --mapping "$scratch/mapping.json" --explain "$scratch/borealis.json" -o "$scratch/out.csv"
explains "read as: borealis, by the mapping file"
explains "rate_usd_h ^.price.cents_per_gpu_hour cents/h 3 rows"
explains "rate_basis constant gpu 3 rows"
explains "rows: 4; offers: 4 good, 0 flagged"
explains "1 ^.gpu_qty: a machine without a GPU"
out=$(cat "$scratch/out.csv")
has "borealis:borealis:bx-17:osl-1,borealis,borealis"
has "H100-SXM5-80GB,NVIDIA H100 80GB HBM3 (SXM5),8"
same "addresses are not kept" "$(grep -c 'example.org' "$scratch/out.csv")" 0
run 0 rank --mapping "$scratch/mapping.json" -l "$scratch/borealis.json" -s preset=lora-8b -f 'gpu~h100' --format csv
has "bx-17"
run 2 import "$scratch/borealis.json"
explains "no listing format that is known"

# ---- the user's folder, and --data ----

mkdir -p "$scratch/data/gpuplan/sources" "$scratch/own/sources"
cp "$scratch/mapping.json" "$scratch/data/gpuplan/sources/"
echo '{"name": "half' >"$scratch/data/gpuplan/sources/broken.json"
run 0 import "$scratch/borealis.json"
has "bx-17"
explains "broken.json:1: not valid JSON"
run 0 list sources --format csv
has "spreadsheet,code,"
has "runpod,mapping,"
has "borealis,"
rm -r "$scratch/data"
cp "$scratch/mapping.json" "$scratch/own/sources/"
run 0 import --data "$scratch/own" "$scratch/borealis.json"
has "bx-17"
sed 's/"cents\/h"/"cents\/ounce"/' "$scratch/mapping.json" >"$scratch/wrong.json"
run 2 import --mapping "$scratch/wrong.json" "$scratch/borealis.json"
explains 'wrong.json: fields.rate_usd_h: unit "cents/ounce": allowed are AMOUNT/TIME'
run 2 import --mapping "$scratch/none.json" "$scratch/borealis.json"

# ---- spreadsheets ----

printf 'Provider,GPU model,VRAM,$/GPU/h,RAM (GB)\nacme,8x H100 SXM,80 GB,$2.50,2000\n' >"$scratch/sheet.csv"
run 0 import --explain "$scratch/sheet.csv"
has "H100-SXM5-80GB"
explains "read as: spreadsheet"
explains "rate_basis constant gpu 1 row"
# shellcheck disable=SC2016
for header in 'GPU,GPUs,Price' 'GPU,GPUs,Price per GPU' 'GPU,GPUs,GPU price per hour USD' 'GPU,GPUs,Price per machine per hour'; do
    printf '%s\nL4,1,0.5\n' "$header" >"$scratch/vague.csv"
    run 2 import "$scratch/vague.csv"
    explains "the price column does not say"
done
printf 'GPU,Price per GPU per hour USD\nL4,"1,234"\n' >"$scratch/vague.csv"
run 2 import "$scratch/vague.csv"
explains "can be read in two ways"

# ---- formats that are code ----

printf 'gpu,gpus,rate_usd_h,rate_basis,provider,colour\nL4,1,0.5,machine,acme,red\nNo such card,0,1,machine,acme,\n' >"$scratch/own.csv"
run 0 import --explain "$scratch/own.csv"
explains "read as: gpuplan-csv, by code (90 of 100)"
explains "columns used: gpu, gpus, rate_usd_h, rate_basis, provider"
explains "rate_usd_h 1 row"
explains "kept, not understood: colour"
explains "rows: 2; offers: 1 good, 0 flagged"
explains '1 gpus: "0": must be a whole number from 1 to 4096'

# ---- the document ----

for word in $(head -1 "$scratch/out.csv" | tr , ' ') vram_total_gb gpu_rate_usd_h; do
    check "docs/sources.md has the field $word" grep -q "\`$word\`" "$doc"
done
finish

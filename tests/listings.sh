#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Listings as people have them: packed, piped, in folders, from Windows; and files that hold no offer.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

export LC_ALL=C.UTF-8 HOME=$scratch XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
seeds=$(dirname "${BASH_SOURCE[0]}")/fuzz/seeds/listing
vast=$seeds/vast.json

# offers STATUS EXPECTED NAME ARGUMENT...: the ids that import writes, in one line; its messages are in $said
offers() {
    local want=$1 ids=$2 name=$3 got=0 out
    shift 3
    out=$("$GPUPLAN" import "$@" 2>"$scratch/err") || got=$?
    said=$(cat "$scratch/err")
    same "$name: exit status" "$got" "$want"
    same "$name: offers" "$(tail -n +2 <<<"$out" | cut -d, -f1 | tr '\n' ' ')" "$ids"
}

says() {
    check "it says: $1" grep -qF -- "$1" <<<"$said"
}

three="vast:vast:11 vast:vast:11:bid_floor vast:vast:12 "
offers 0 "$three" "as it is" "$vast"
says "2 rows read: 3 offers written"
says "flagged: 1 spot_ge_on_demand"

# What is doubtful is said in words beside the offer, not only counted.
printf 'id,provider,gpu,gpus,rate_usd_h\nmany,me,A100-SXM4-80GB,8,12\none,me,A100-SXM4-80GB,1,1.6\n' >"$scratch/silent.csv"
explained=$("$GPUPLAN" explain -l "$scratch/silent.csv" -s preset=lora-8b --pick many)
check "explain says that the basis was assumed" grep -q "whether its price is for the machine or for each" <<<"$explained"
explained=$("$GPUPLAN" explain -l "$scratch/silent.csv" -s preset=lora-8b --pick one)
same "nothing doubtful, nothing said" "$(grep -c Doubtful <<<"$explained")" 0
gzip -c "$vast" >"$scratch/a.json.gz"
xz -c "$vast" >"$scratch/a.json.xz"
for packed in gz xz; do offers 0 "$three" "packed: $packed" "$scratch/a.json.$packed"; done
{ printf '\xef\xbb\xbf'; cat "$vast"; } >"$scratch/bom.json"
offers 0 "$three" "with a byte order mark" "$scratch/bom.json"
offers 0 "$three" "standard input" - <"$vast"
mkdir "$scratch/folder"
cp "$scratch/a.json.gz" "$scratch/folder/"
sed 's/$/\r/' "$seeds/sky.csv" >"$scratch/folder/sky_vms.csv"
"$GPUPLAN" import "$scratch/folder" -o "$scratch/both.csv" 2>"$scratch/err"
check "a folder: what is packed" grep -q '^vast:vast:12,' "$scratch/both.csv"
check "a folder: lines that end in CR LF" grep -q '^skypilot:' "$scratch/both.csv"

iconv -f UTF-8 -t UTF-16 "$vast" >"$scratch/wide.json"
offers 2 "" "UTF-16" "$scratch/wide.json"
says "text is UTF-16; save it as UTF-8"
printf 'Name,Description,Price,Region\ngp3,SSD,0.0001,eu\n' >"$scratch/disks.csv"
offers 2 "" "disks" "$scratch/disks.csv"
says "it holds prices of disks, not of machines"
printf 'day,rain\n1,2\n' >"$scratch/rain.csv"
offers 2 "" "another table" "$scratch/rain.csv"
says "it holds a table with the columns day, rain"
printf 'instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\nm,x,1,0,,,False\n' >"$scratch/cpu.csv"
offers 2 "" "machines without a GPU" "$scratch/cpu.csv"
says "no GPU offer in it: 1 rows, 1 of them machines without a GPU"

# Euros are no dollars.
cat >"$scratch/euro.csv" <<'END'
provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,currency
scaleway,H100-1,H100-PCIe-80GB,1,2.52,machine,on_demand,EUR
END
status=0
"$GPUPLAN" rank -l "$scratch/euro.csv" -s preset=lora-8b >"$scratch/out" 2>&1 || status=$?
same "an offer in euros is not ranked" "$status" 1
check "and the reason is told" grep -q "not priced in US dollars" "$scratch/out"
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The real program: exit statuses, errors, formats, and that help, manual page and completions come from the same tables.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

export LC_ALL=C.UTF-8 COLUMNS=100 HOME=$scratch XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
unset NO_COLOR LANGUAGE
now="--now 2026-03-25T00:00:00Z"
offers=$scratch/offers.csv
cat >"$offers" <<'END'
id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,available,link
lambda:8,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-east-1,1800,6000,yes,
vast:1,vast,m1,RTX-4090,1,0.35,machine,on_demand,US-TX,64,900,yes,
vast:8,vast,m8,RTX-4090,8,2.71,machine,on_demand,US-TX,503,900,yes,pcie_host
spot:1,runpod,1x,H100-SXM5-80GB,1,1.10,machine,spot,EU-RO,250,500,unknown,
END

# run STATUS ARGUMENT...: standard output in $out, standard error in $said; checks the exit status.
run() {
    local want=$1 got=0
    shift
    # shellcheck disable=SC2086
    out=$("$GPUPLAN" "$@" $now 2>"$scratch/err") || got=$?
    said=$(cat "$scratch/err")
    same "exit status of: ${*//$scratch\//}" "$got" "$want"
}

# says PART: standard error has one line, with this text.
says() {
    same "one line of error: $1" "$(wc -l <"$scratch/err")" 1
    check "it says: $1" grep -qF -- "$1" "$scratch/err"
}

has() {
    check "output has: $1" grep -qF -- "$1" <<<"$out"
}

lacks() {
    same "output lacks: $1" "$(grep -cF -- "$1" <<<"$out")" 0
}

# ---- exit statuses and errors ----
run 0 rank -l "$offers" -s preset=lora-8b
has 'One GPU is enough'
same "nothing on standard error" "$said" ""
run 1 rank -l "$offers" -s preset=full-8b -s offload=none -f 'provider=vast and gpus=1'
has 'Nothing fits'
run 2 rank -l "$scratch/missing.csv" -s preset=lora-8b
says 'missing.csv'
run 2 rank -l "$offers" -s seq_len=0 -s preset=lora-8b
says 'seq_len'
run 2 rank -l "$offers" -s preset=lora-8b -s sequence=9
says 'sequence'
run 2 rank -l "$offers" -s preset=lora-8b -f 'gpsu=8'
says 'did you mean "gpus"'
run 2 rank -l "$offers" -s preset=lora-8b --sort tmie_h
says 'did you mean "time_h"'
run 2 rank -l "$offers" -s preset=lora-8b --form json
says 'did you mean --format'
run 2 rank -l "$offers" -s preset=lora-8b -n 2.5
says 'is not a whole number from 0'
mkdir "$scratch/none"
run 2 rank -l "$scratch/none" -s preset=lora-8b
check "an empty folder is named" grep -q 'none: no listing file in this folder' "$scratch/err"
run 2 validate /dev/null
says '/dev/null: no measurement'
run 2 validate "$offers"
says "offers.csv:1: metric"
run 2 --version -o /dev/full
says 'No space left'
run 2 rank -l "$offers" -s preset=lora-8b --assume cost.boots=1
says 'cost.boot'
run 2 rank -l "$offers" -s preset=lora-8b --goal speed
says 'cost, time, value'
run 2 rank --tpo 3
says 'did you mean --top'
run 2 rnak
says 'did you mean "rank"'
run 2 zzyzx
says 'unknown command'
run 2 rank --pick x
says 'means nothing to'
run 2 rank extra
says 'does not know what to do with'
"$GPUPLAN" rank --top 2>"$scratch/err"
says 'needs a value'
run 2 rank --ascii=yes
says 'takes no value'
run 2 rank -n -1
says 'not a whole number from'
run 2 explain -l "$offers" -s preset=lora-8b --pick nothing
says 'nothing'
"$GPUPLAN" rank --now yesterday 2>"$scratch/err"
says '2026-03-22T00:00:00Z'
run 2 fit --gpu H100-SMX5-80GB -s preset=lora-8b
says 'did you mean H100-SXM5-80GB'
run 2 fit --gpu H100 -s preset=lora-8b
says 'H100-PCIe-80GB'
run 2 list colours
says 'unknown topic'
run 2 rank --data "$scratch/nowhere" -s preset=lora-8b
says 'not a folder'
printf 'gpu,rate\n\033[31m,1\n' >"$scratch/evil.csv"
run 2 rank -l "$scratch/evil.csv" -s preset=lora-8b
same "no escape sequence reaches the terminal" "$(grep -c $'\033' "$scratch/err")" 0
printf 'id,gpu,gpus,rate_usd_h\na,H100-SXM5-80GB,1,x\nb,H100-SXM5-80GB,1,2\nc,H100-SXM5-80GB,1,x\n' >"$scratch/bad.csv"
run 0 rank -l "$scratch/bad.csv" -s preset=lora-8b
check "a bad row is named with its place" grep -qE 'bad.csv:2: record 1: rate_usd_h: .*2 times' "$scratch/err"
run 0 rank -q -l "$scratch/bad.csv" -s preset=lora-8b
same "-q is quiet" "$said" ""
run 2 rank -l "$offers" -s preset=lora-8b -o "$scratch/no/such/file"
says 'no/such/file'

# ---- what is read ----
run 0 rank -l - -s preset=lora-8b <"$offers"
has 'vast'
# without a subcommand what is piped in is a listing; an empty pipe is none
# shellcheck disable=SC2002 # a pipe is what is tested
same "piped in" "$(cat "$offers" | "$GPUPLAN" -s preset=lora-8b --format csv 2>/dev/null | wc -l)" 4
same "read from a file" "$("$GPUPLAN" -s preset=lora-8b --format csv 2>/dev/null <"$offers" | wc -l)" 4
check "an empty pipe" test "$(printf '' | "$GPUPLAN" -s preset=lora-8b --format csv -q -n 9 2>/dev/null | wc -l)" -eq 10
mkdir -p "$scratch/folder" && cp "$offers" "$scratch/folder/a.csv" && gzip -kf "$scratch/folder/a.csv" && rm "$scratch/folder/a.csv"
run 0 rank -l "$scratch/folder" -s preset=lora-8b
has 'vast'
echo '{"preset": "full-8b", "deadline_h": "2d"}' >"$scratch/job.json"
run 0 rank -l "$offers" -w "$scratch/job.json" -s offload=none --format json
has '"deadline_h":48'
echo '{"preset": "full-8b", "deadline": 3}' >"$scratch/bad.json"
run 2 rank -l "$offers" -w "$scratch/bad.json"
says 'bad.json'
run 0 rank -l "$offers"
says 'lora-8b'

# ---- what is written ----
run 0 rank -l "$offers" -s preset=lora-8b --sort -rate_usd_h --format csv
same "sorted by rate" "$(cut -d, -f2 <<<"$out" | head -n 2 | tail -n 1)" lambda:8
run 0 rank -l "$offers" -s preset=lora-8b -n 1 --format csv
same "--top counts rows" "$(wc -l <<<"$out")" 2
run 0 rank -l "$offers" -s preset=lora-8b -s spot=only --format csv
same "spot only" "$(tail -n +2 <<<"$out" | cut -d, -f2)" spot:1
run 0 rank -l "$offers" -s preset=lora-8b --format md
has '| ---'
run 0 rank -l "$offers" -s preset=lora-8b --ascii
same "--ascii is ASCII" "$(LC_ALL=C grep -c '[^ -~]' <<<"$out")" 0
run 0 rank -l "$offers" -s preset=lora-8b --color always
has $'\033[1m'
run 0 rank -l "$offers" -s preset=lora-8b
lacks $'\033'
run 0 rank -l "$offers" -s preset=lora-8b -o "$scratch/out.txt"
same "-o leaves standard output alone" "$out" ""
check "-o writes the file" grep -q 'GPU' "$scratch/out.txt"
run 0 explain -l "$offers" -s preset=full-8b -s offload=none --pick lambda:8 --gpus 8
has 'Memory of the fullest GPU'
has 'Dollars'
run 1 explain -l "$offers" -s preset=full-8b -s offload=none --pick vast:1
has 'Refused: needs'
run 0 explain -l "$offers" -s preset=lora-8b --format json
has '"trace"'
run 2 fit -s task=inference -s model=llama-3.1-8b -s engine=vlm --gpu H100-SXM5-80GB
says 'did you mean vllm'
run 2 rank -l "$offers" -s task=inference -s model=llama-3.1-8b -s engine=bakery
says 'allowed are generic, tensorrt-llm, vllm'
run 0 fit -s task=inference -s model=llama-3.1-70b --gpu H100-SXM5-80GB --gpus 2
has 'fits to 16k, fails at 24k'
has 'requests of 1,300 tokens'
has '95 % of requests'
run 0 fit -s task=inference -s model=llama-3.1-8b -s weights=fp8 -s engine=vllm --gpu A100-SXM4-80GB
has 'computed in 16 bit (w8a16)'
run 0 fit -s task=inference -s model=llama-3.1-70b --gpu H100-SXM5-80GB --gpus 8
has '4 copies over 2 GPUs each (tp 2)'
run 0 fit -s task=inference -s model=llama-3.1-70b --gpu H100-SXM5-80GB --gpus 8 --format json
has '"ways": ['
run 0 rank -s task=inference -s model=llama-3.1-70b -s concurrency=8 -n 1
has 'one GPU carries it'
run 0 rank -s task=inference -s model=llama-3.1-70b -s requests_per_s=60 -n 1
has 'machines share the load'
run 0 rank -s task=inference -s model=llama-3.1-70b -s concurrency=8 -n 1 --format json
has '"one_gpu_quantised": ['
run 1 fit -s task=lora -s model=llama-3.2-1b -s precision=bf16 --gpu V100-SXM2-16GB --gpus 1 --format json
has '"max_seq_len": null'
run 1 fit -s task=inference -s model=llama-3.2-1b --gpu P100-PCIe-16GB --gpus 1
lacks 'Memory of the fullest GPU'
run 0 fit -s preset=serve-70b --gpu H100-SXM5-80GB --gpus 2 --format json
has '"fit": "fits"'
run 1 fit -s preset=serve-70b -s weights=bf16 --gpu H100-SXM5-80GB --gpus 1
has 'needs'
run 1 fit -s preset=full-8b -s offload=optimizer --gpu H100-SXM5-80GB --gpus 8 --ram 16
has 'of RAM'
run 0 fit -s preset=lora-8b --format csv
has 'H100-SXM5-80GB,'
run 0 import "$offers" -o "$scratch/copy.csv"
run 0 rank -l "$scratch/copy.csv" -s preset=lora-8b --format json
copy=$out
run 0 rank -l "$offers" -s preset=lora-8b --format json
same "an imported listing ranks the same" "$(md5sum <<<"$copy")" "$(md5sum <<<"$out")"
run 0 import "$offers" -o "$scratch/copy.jsonl.gz"
run 0 rank -l "$scratch/copy.jsonl.gz" -s preset=lora-8b --format csv
has 'lambda:8'
run 0 whatif -l "$offers" -s preset=full-8b --pick lambda:8 --counts 1,2,4,8,16 --format json
has '"price_basis": "pro_rata"'
has '"price_basis": "nodes"'
has '"knee"'
run 0 whatif -l "$offers" -s preset=lora-8b --gpu RTX-4090 --counts 1,8
has 'fastest'
lacks '~'
run 0 whatif -l "$offers" -s preset=full-8b --pick lambda:8 --vary seq_len --values 2k,4k --format json
has '"vary": "seq_len"'
has '"value": "4k"'
run 0 whatif -l "$offers" -s preset=full-8b --pick lambda:8 --vary link
has 'not sold with this link'
run 0 whatif -l "$offers" -s preset=full-8b --vary gpu
has 'The cheapest'
run 0 whatif -l "$offers" -s preset=full-8b --pick lambda:8 --weak
has 'weak scaling'
run 2 whatif -l "$offers" -s preset=full-8b --vary seq_len --values many
says 'seq_len'
run 2 whatif -l "$offers" -s preset=full-8b --vary link --counts 1,2
says 'one count at most'
run 2 whatif -l "$offers" -s preset=full-8b --vary gpu --values 1
says '--values is for'
run 0 rank -l "$offers" -s preset=lora-8b --group none --format csv
second=$(sed -n '3s/^2,\([^,]*\),.*/\1/p' <<<"$out")
run 0 explain -l "$offers" -s preset=lora-8b --pick 2
same "--pick takes a place of the ranking" "$(sed -n 3p <<<"$out")" "$second"
run 0 compare -l "$offers" -s preset=lora-8b --pick 1 --pick 2
has "$second"
run 0 explain -l "$offers" -s preset=lora-8b --format md
has '## Dollars'
run 2 explain -l "$offers" -s preset=lora-8b --format csv
says 'allowed are table, json, md'
run 2 explain -l "$offers" -s preset=lora-8b --pick 99
says 'is no place in the ranking'
run 2 whatif -l "$offers" -s preset=lora-8b --gpu RTX-4090 --link nvswitch
says 'RTX-4090 cards cannot have nvswitch; allowed are pcie, pcie_host'
run 2 fit -s preset=lora-8b --gpu RTX-4090 --gpus 8 --link xgmi
says 'RTX-4090 cards cannot have xgmi'
run 1 whatif -l "$offers" -s task=full -s model=llama-3.1-70b -s tokens=1M --gpu A100-SXM4-40GB --counts 1,2,4,8,16
has 'None of these counts fits. Try more of them: --counts'
has '16 GPUs: needs'
run 0 fit -s task=full -s model=llama-2-13b -s batch_rule=per_gpu --gpu A100-SXM4-80GB --gpus 8
has 'It fits from 4 of them; the rest is speed.'
has 'The batch grows with the GPUs'
has 'such card does it'
run 0 fit -s task=full -s model=llama-2-13b --gpu A100-SXM4-80GB --format json
has '"changes": "optimizer=paged_adamw_8bit"'
run 0 fit -s task=lora -s model=llama-3.1-8b --gpu A100-SXM4-80GB
lacks 'such card does it'
run 0 fit -s preset=qlora-70b
lacks 'GTX-1080'
has 'cards do not hold it'
run 0 fit -s preset=qlora-70b -v
has 'GTX-1080'
run 2 whatif -l "$offers" -s preset=lora-8b --counts 4,2
says 'ascending'
run 2 whatif -l "$offers" -s preset=lora-8b --gpu L40S
says 'no offer'
run 0 compare -l "$offers" -s preset=lora-8b --pick vast:1 --pick lambda:8 --format csv
has 'property,vast:1,lambda:8'
# lists: the second has one offer less, one more, one price changed
cat >"$scratch/later.csv" <<'END'
id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,available,link
lambda:8,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-east-1,1800,6000,yes,
vast:1,vast,m1,RTX-4090,1,0.70,machine,on_demand,US-TX,64,900,yes,
vast:2,vast,m2,RTX-4090,1,0.30,machine,on_demand,US-TX,64,900,yes,
END
run 0 compare --by snapshot -l "$offers" -l "$scratch/later.csv" -s preset=lora-8b --format csv
has 'price,vast:1,0.35,0.7,100,1,2'
has 'new,vast:2,,0.3,,,1'
has 'gone,vast:8,2.71,,,'
has 'same,lambda:8,10.32,10.32,0,3,3'
run 0 compare --by source -l "$offers" -l "$scratch/later.csv" -s preset=lora-8b --format json
has '"price": 1, "rank": 0, "new": 0, "gone": 1, "same": 1'
has '"offer": "1x RTX-4090 on_demand", "from_usd_h": 0.35, "to_usd_h": 0.3'
run 0 compare --by source -l "$offers" -l "$scratch/later.csv" -s preset=lora-8b --format csv
has "later.csv,,3,3,vast:2,RTX-4090,1,0.3,"
run 2 compare --by source -l "$offers" -s preset=lora-8b
says 'needs -l two to 12 times'
run 2 compare --by price -l "$offers" -s preset=lora-8b
says 'source, snapshot'
run 2 compare -l "$offers" -s preset=lora-8b --pick vast:1
says 'two to'
for topic in gpus models presets links machines providers sources fields assumptions columns filter engines actions; do
    for format in table json csv md; do
        run 0 list "$topic" --format "$format"
        check "list $topic as $format says something" test "$(wc -l <<<"$out")" -gt 3
    done
done
run 0 list assumptions --assume cost.boot=7 --format csv
has 'cost.boot,7,7,7,min,declared'

# ---- tables of our own ----
mkdir -p "$scratch/mine"
head -n 1 "$top_srcdir/data/gpus.csv" >"$scratch/mine/gpus.csv"
grep '^H100-SXM5-80GB,' "$top_srcdir/data/gpus.csv" | sed 's/^H100-SXM5-80GB/Z100/' >>"$scratch/mine/gpus.csv"
run 0 list gpus --data "$scratch/mine" --format csv
has 'Z100,'
has 'RTX-4090,'

# ---- help, manual page, completions ----
run 0 --help
for word in rank explain whatif compare fit list validate import; do has "gpuplan $word"; done
run 0 rank --help
has '--filter EXPR'
lacks '--pick'
run 0 --version
has 'gpuplan 0'
for kind in man:gpuplan.1 bash:completion/gpuplan zsh:completion/_gpuplan; do
    "$GPUPLAN" --generate "${kind%%:*}" >"$scratch/made"
    check "docs/${kind#*:} is what the program says" cmp "$scratch/made" "$top_srcdir/docs/${kind#*:}"
done
if command -v mandoc >/dev/null; then
    check "the manual page is clean" mandoc -T lint -W warning "$top_srcdir/docs/gpuplan.1"
else
    skip "the manual page is clean" "no mandoc"
fi
check "the bash completion can be read" bash -n "$top_srcdir/docs/completion/gpuplan"

# ---- the contract of the JSON ----
if python3 -c 'import jsonschema' 2>/dev/null; then
    for job in lora-8b full-8b serve-8b batch-1m; do
        "$GPUPLAN" rank -q -l "$offers" -s preset=$job -s spot=yes --format json >"$scratch/rank.json"
        check "JSON of $job keeps the schema" python3 - "$top_srcdir/docs/rank.schema.json" "$scratch/rank.json" <<'END'
import json
import sys

import jsonschema

schema, document = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
for error in errors[:5]:
    print(list(error.absolute_path), error.message[:200])
assert document["candidates"], "no candidate"
sys.exit(bool(errors))
END
    done
else
    skip "JSON keeps the schema" "no python3-jsonschema"
fi
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `gpuplan export` writes is read by the tools it is for, whatever a listing put into its names.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

export LC_ALL=C.UTF-8 COLUMNS=100 HOME=$scratch XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
unset NO_COLOR LANGUAGE
offers=$scratch/offers.csv
cat >"$offers" <<'END'
id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,available,link
good,aws,p5.48xlarge,H100-SXM5-80GB,8,60,machine,spot,us-east-1,2000,28000,yes,nvswitch
evil,aws,"x""$(touch${IFS}owned)`id`'\",H100-SXM5-80GB,8,61,machine,on_demand,"a"": b # c",2000,28000,yes,nvswitch
words,lambda,8x A100 80GB,A100-SXM4-80GB,8,20,machine,on_demand,x,2000,28000,yes,nvswitch
other,nobody,n1,H100-SXM5-80GB,8,62,machine,on_demand,x,2000,28000,yes,nvswitch
END

# written STATUS FORMAT OFFER ARGUMENT...: what is written, in $out.
written() {
    local want=$1 to=$2 pick=$3 got=0
    shift 3
    "$GPUPLAN" export --to "$to" --pick "$pick" -l "$offers" --now 2026-03-25T00:00:00Z "$@" >"$scratch/out.$to" 2>"$scratch/err" || got=$?
    out=$(cat "$scratch/out.$to")
    same "exit status of $to for $pick" "$got" "$want"
}

has() {
    check "output has: $1" grep -qF -- "$1" <<<"$out"
}

job=(-s preset=full-8b -s spot=yes)
for pick in good evil; do
    for to in torchrun slurm; do
        written 0 "$to" "$pick" "${job[@]}" --gpus 8
        has '--nproc-per-node=8 '
        check "$to is a script" bash -n "$scratch/out.$to"
        if command -v shellcheck >/dev/null; then
            check "shellcheck finds nothing in it" shellcheck "$scratch/out.$to"
        fi
    done
    written 0 vllm "$pick" -s preset=serve-8b -s spot=yes --gpus 8
    check "vllm is a script" sh -n "$scratch/out.vllm"
    written 0 skypilot "$pick" "${job[@]}" --gpus 8
    if python3 -c 'import yaml' 2>/dev/null; then
        check "the task names the machine as it is listed" python3 - "$scratch/out.skypilot" "$offers" "$pick" <<'END'
import csv, sys, yaml
task = yaml.safe_load(open(sys.argv[1]))["resources"]
row = next(r for r in csv.DictReader(open(sys.argv[2])) if r["id"] == sys.argv[3])
assert task["instance_type"] == row["machine"] and task["region"] == row["region"], task
assert task["use_spot"] == (row["rate_kind"] == "spot")
END
    fi
    written 0 html "$pick" "${job[@]}"
    same "html holds no mark-up of others" "$(grep -c '<[^/!hmtp]' "$scratch/out.html")" 0
    written 0 json "$pick" "${job[@]}"
    check "json is JSON" python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$out"
done

# run for real, with a torchrun that says what it was given
mkdir "$scratch/bin"
cat >"$scratch/bin/torchrun" <<'END'
#!/bin/sh
echo "$MICRO_BATCH $ZERO $*"
END
cp "$scratch/bin/torchrun" "$scratch/bin/vllm"
chmod +x "$scratch/bin/torchrun" "$scratch/bin/vllm"
written 0 torchrun evil "${job[@]}" --gpus 8
(cd "$scratch/bin" && PATH=$scratch/bin:$PATH sh ../out.torchrun train.py 'a b' >said)
check "its arguments arrive" grep -q -- '--nproc-per-node=8 train.py a b$' "$scratch/bin/said"
same "nothing of a listing is run" "$(find "$scratch" -name owned)" ""

written 0 deepspeed good "${job[@]}" --gpus 8 -s strategy=zero3
check "the configuration says the stage" python3 -c 'import json, sys; assert json.load(sys.stdin)["zero_optimization"]["stage"] == 3' <<<"$out"
written 2 deepspeed good "${job[@]}" --gpus 8 -s tp=2
check "what it cannot say is refused" grep -q 'tp=2' "$scratch/err"
written 0 skypilot words "${job[@]}"
has 'accelerators: "A100-80GB:8"'
written 2 skypilot other "${job[@]}"
check "a provider it does not know" grep -q 'does not rent from "nobody"' "$scratch/err"
written 2 vllm good "${job[@]}"
check "a job it is not for" grep -q 'not for such a job' "$scratch/err"
written 2 torchrun good "${job[@]}" -s offload=none --gpus 1
check "a machine it does not fit" grep -q 'does not run on this offer' "$scratch/err"
"$GPUPLAN" export -l "$offers" "${job[@]}" 2>"$scratch/err"
check "what to write must be said" grep -q 'needs --to' "$scratch/err"

# ---- a decision is kept, and held against other listings ----
kept=$scratch/kept.json
now='--now 2026-03-25T00:00:00Z'
# shellcheck disable=SC2086
"$GPUPLAN" save "$kept" -l "$offers" "${job[@]}" -f 'gpus=8' --assume train.stack.fsdp=0.8 --pick good $now
check "it is JSON" python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["picked"] == "good" and d["workload"]["preset"] == "full-8b"' "$kept"
opened() {
    # shellcheck disable=SC2086
    "$GPUPLAN" open "$kept" -l "$1" $now --format json 2>"$scratch/err" |
        python3 -c 'import json, sys; print(*sorted(c["id"] + "=" + c["state"] for c in json.load(sys.stdin)["candidates"]))'
}
same "nothing changed" "$(opened "$offers")" "evil=same good=same other=same words=same"
sed -e 's/,8,60,/,8,30,/' -e '/^other/d' -e '/^words/s/A100-SXM4-80GB,8/A100-SXM4-80GB,2/' "$offers" >"$scratch/later.csv"
same "what did is named" "$(opened "$scratch/later.csv")" "evil=same good=price other=gone words=refused"
"$GPUPLAN" open "$kept" -l "$offers" -s steps=10 >"$scratch/out.txt" 2>"$scratch/err"
check "an option wins over what was kept" grep -q 'other figures' "$scratch/out.txt"
"$GPUPLAN" open "$offers" 2>"$scratch/err"
same "another file is refused" "$?" 2
printf '%s\n' '{"gpuplan_decision": 1, "constants": "what,key\n"}' >"$scratch/odd.json"
"$GPUPLAN" open "$scratch/odd.json" 2>"$scratch/err"
check "what is missing is named" grep -q 'odd.json: no column low' "$scratch/err"

finish

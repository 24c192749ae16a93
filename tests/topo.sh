#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The script of `gpuplan probe`, run here and with made-up tools of the vendors, and what `gpuplan topo` makes of its output.
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

export LC_ALL=C.UTF-8 COLUMNS=100 HOME=$scratch XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
unset NO_COLOR LANGUAGE
now="--now 2026-03-25T00:00:00Z"
offers=$scratch/offers.csv
cat >"$offers" <<'END'
id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,available,link
a:4,lambda,four,A100-PCIe-80GB,4,6.00,machine,on_demand,us-east-1,900,4000,yes,nvlink_bridge
b:2,vast,two,RTX-4090,2,0.80,machine,on_demand,US-TX,128,900,yes,pcie
END

# topo STATUS FILE ARGUMENT...: standard output in $out, standard error in $said.
topo() {
    local want=$1 file=$2 got=0
    shift 2
    # shellcheck disable=SC2086
    out=$("$GPUPLAN" topo "$@" -l "$offers" $now 2>"$scratch/err" <"$file") || got=$?
    said=$(cat "$scratch/err")
    same "exit status of topo: ${*//$scratch\//}" "$got" "$want"
}

has() {
    check "output has: $1" grep -qF -- "$1" <<<"$out"
}

# ---- the script ----
"$GPUPLAN" probe >"$scratch/probe.sh"
same "probe writes the script" "$(cmp "$scratch/probe.sh" "$top_srcdir/data/probe.sh" 2>&1)" ""
if command -v shellcheck >/dev/null; then
    check "shellcheck finds nothing in it" shellcheck "$scratch/probe.sh"
fi
mkdir -p "$scratch/data/gpuplan/data"
echo 'rm -rf /' >"$scratch/data/gpuplan/data/probe.sh"
same "a folder of data cannot replace it" "$("$GPUPLAN" probe | cmp - "$scratch/probe.sh" 2>&1)" ""
rm -r "$scratch/data"

# sh in a folder of its own: nothing may be written
mkdir "$scratch/empty"
(cd "$scratch/empty" && sh ../probe.sh >../here.txt 2>../here.err) || true
same "it writes no file" "$(ls -A "$scratch/empty")" ""
same "it says nothing on standard error" "$(cat "$scratch/here.err")" ""
check "it came to its end" grep -qx '## end' "$scratch/here.txt"

# ---- a machine with made-up cards ----
mkdir "$scratch/bin"
cat >"$scratch/bin/nvidia-smi" <<'END'
#!/bin/sh
case "$*" in
--query-gpu=*)
    echo 'index, name, memory.total [MiB], pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max, power.limit [W], power.max_limit [W], mig.mode.current, driver_version'
    for i in 0 1 2 3; do
        echo "$i, NVIDIA A100 80GB PCIe, 81920 MiB, 1, 4, 16, 16, 300.00 W, 300.00 W, Disabled, 550.54.15"
    done
    ;;
'topo -m')
    printf '\t\033[4mGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n'
    printf 'GPU0\t X \tSYS\tNV12\tSYS\t0-23\t0\t\tN/A\nGPU1\tSYS\t X \tSYS\tNV12\t24-47\t1\t\tN/A\n'
    printf 'GPU2\tNV12\tSYS\t X \tSYS\t0-23\t0\t\tN/A\nGPU3\tSYS\tNV12\tSYS\t X \t24-47\t1\t\tN/A\n'
    ;;
'topo -p2p r') printf ' \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n' ;;
'nvlink -s') printf 'GPU 0: NVIDIA A100 80GB PCIe (UUID: GPU-secret)\n\t Link 0: 25 GB/s\n' ;;
esac
END
chmod +x "$scratch/bin/nvidia-smi"
PATH=$scratch/bin:$PATH sh "$scratch/probe.sh" >"$scratch/four.txt"
same "no identifier is shown" "$(grep -c secret "$scratch/four.txt")" 0
topo 0 "$scratch/four.txt" -s preset=lora-8b
same "nothing on standard error" "$said" ""
has '4x A100-PCIe-80GB'
has 'nvlink_bridge_pairs: pairs joined by an NVLink bridge'
has '0,2 | 1,3'
has 'GPU0 and GPU1, SYS: across CPU sockets'
has '550.54.15'
has 'LoRA fine-tuning of llama-3.1-8b'
# shellcheck disable=SC2016 # dollars, not a variable
has 'Listed as 4x A100 PCIe 80G at lambda (four, us-east-1), $6/h'
topo 0 "$scratch/four.txt" -s preset=lora-8b --format json
has '"class": "nvlink_bridge_pairs"'
has '"pairs": {"SYS": 4, "NV12": 2}'
has '"islands": [[0, 2], [1, 3]]'
has '"offer": "a:4"'
check "it is JSON" python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$out"
topo 0 "$scratch/four.txt" -s preset=lora-8b --format md
has '- **class:** nvlink_bridge_pairs'
# two GPUs are asked for: those below one bridge are named
topo 0 "$scratch/four.txt" -s preset=lora-8b -s tp=2 -s max_gpus=2 --format json
has '"environment": "CUDA_VISIBLE_DEVICES=0,2"'

# ---- worse than listed ----
printf 'GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X SYS 0-7 0\nGPU1 SYS X 8-15 1\n' >"$scratch/two.txt"
topo 0 "$scratch/two.txt" --gpu RTX-4090 -s preset=pretrain-1b --pick b:2
has 'cross_socket'
has 'with the link it claims (pcie)'
has 'RTX-4090 has no direct access between cards over PCIe'
topo 0 "$scratch/two.txt" -s preset=lora-8b
has 'Which card it is must be known'
topo 0 "$scratch/two.txt" --gpu L4 -s preset=lora-8b
has 'No listed offer has so many of this card'

# ---- what is wrong is said in a line ----
topo 2 "$scratch/two.txt" --gpu RTX-9090 -s preset=lora-8b
check "an unknown card is named" grep -q '^gpuplan: --gpu: unknown card "RTX-9090"' "$scratch/err"
topo 2 "$scratch/two.txt" --format csv
check "csv is refused" grep -q 'no table for csv' "$scratch/err"
topo 2 "$scratch/here.txt" -s preset=lora-8b
check "a machine without cards" grep -q 'no GPU matrix in it' "$scratch/err"
topo 2 /dev/null missing.txt
check "a missing file is named" grep -q 'missing.txt' "$scratch/err"
printf 'GPU0 GPU1 CPU Affinity\nGPU0 X FOO 0-7\nGPU1 BAR X 0-7\n' >"$scratch/odd.txt"
topo 0 "$scratch/odd.txt" --gpu L4 -s preset=lora-8b
has 'line 2: "FOO" is no connection that is known'

# ---- what was measured counts more ----
cat >"$scratch/node.log" <<'END'
#  Rank  0 Group  0 Pid   7 on box device  0 [0x0f] NVIDIA GeForce RTX 4090
#  Rank  1 Group  0 Pid   7 on box device  1 [0x2f] NVIDIA GeForce RTX 4090
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
   268435456      67108864     float     sum      -1    53687    5.00    5.00      0    52635    5.10    5.10      0
END
said=$("$GPUPLAN" calibrate "$scratch/node.log" 2>&1)
check "calibrate says what it fitted" grep -q 'pcie_host.gen4.x2 *10 ' <<<"$said"
check "it is kept in the folder of calibrations" grep -q '^link_ring,pcie_host.gen4.x2,' "$scratch/data/gpuplan/calibration/node.csv"
same "it is found by its name" "$("$GPUPLAN" list links --calibration node --format csv | grep -c 'pcie_host.gen4.x2,.*your calibration')" 1
time_of() {
    "$GPUPLAN" topo "$scratch/two.txt" --gpu RTX-4090 -l "$offers" -s preset=pretrain-1b --pick b:2 --format json "$@" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["job"]["found"][0]["time_h"]["expected"])'
}
check "a slower link makes the job slower" python3 -c "import sys; sys.exit(not $(time_of --calibration node) > $(time_of) * 1.01)"
"$GPUPLAN" rank --calibration "$scratch/two.txt" 2>"$scratch/err"
same "another file is refused" "$?" 2
check "with its name" grep -q 'two.txt: no column what' "$scratch/err"
"$GPUPLAN" calibrate "$scratch/two.txt" 2>"$scratch/err"
check "what is no log is said" grep -q 'no row with a size and a busbw' "$scratch/err"

finish

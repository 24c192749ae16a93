#!/bin/sh
# What a rented machine really has. It only reads: nothing is installed, written or sent. Its output is for
#   gpuplan topo FILE
# What is not there is passed over; a command that hangs is given up after 20 seconds.
LC_ALL=C
export LC_ALL

say() {
    printf '\n## %s\n' "$*"
}

# look COMMAND ARGUMENT...: runs it if it is there.
look() {
    command -v "$1" >/dev/null 2>&1 || return 0
    say "$*"
    if command -v timeout >/dev/null 2>&1; then
        timeout 20 "$@" </dev/null 2>&1 || printf '## %s: exit status %s\n' "$1" "$?"
    else
        "$@" </dev/null 2>&1 || printf '## %s: exit status %s\n' "$1" "$?"
    fi
}

printf '## gpuplan probe 1\n'

# Without identifiers of cards: what is shown here may be shown around.
fields=index,name,memory.total,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max
look nvidia-smi "--query-gpu=$fields,power.limit,power.max_limit,mig.mode.current,driver_version" --format=csv
look nvidia-smi topo -m
look nvidia-smi topo -p2p r
if command -v nvidia-smi >/dev/null 2>&1; then
    say nvidia-smi nvlink -s
    nvidia-smi nvlink -s </dev/null 2>/dev/null | sed 's/ (UUID.*//'
fi

look rocm-smi --showproductname
look rocm-smi --showtopo

for device in /sys/bus/pci/devices/*; do
    if ! [ -r "$device/class" ] || ! [ -r "$device/current_link_width" ]; then
        continue
    fi
    case $(cat "$device/class") in
    0x0300* | 0x0302* | 0x1200*) # VGA, 3D, accelerator
        printf '\n## pci %s speed %s of %s, width %s of %s, numa %s\n' "${device##*/}" \
            "$(cat "$device/current_link_speed" 2>/dev/null)" "$(cat "$device/max_link_speed" 2>/dev/null)" \
            "$(cat "$device/current_link_width")" "$(cat "$device/max_link_width" 2>/dev/null)" \
            "$(cat "$device/numa_node" 2>/dev/null)"
        ;;
    esac
done

look lscpu
if [ -r /proc/meminfo ]; then
    say /proc/meminfo
    grep -E '^(MemTotal|MemAvailable|SwapTotal):' /proc/meminfo
fi
for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max; do # what a container is held to
    if [ -r "$file" ]; then
        say "$file"
        cat "$file"
    fi
done
look df -kP . /tmp /dev/shm
look uname -srm
printf '\n## end\n'

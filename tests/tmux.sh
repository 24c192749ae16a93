#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The screens in tmux, on a private socket and without anybody's settings: a second terminal besides the emulated one.
# shellcheck disable=SC2317 # check runs the functions
# shellcheck source=tests/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"

if ! command -v tmux >/dev/null; then
    skip "screens in tmux" "no tmux here"
    finish
fi
unset TMUX TMUX_PANE NO_COLOR LANGUAGE COLUMNS LINES ESCDELAY XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
export LC_ALL=C.UTF-8 HOME=$scratch TMUX_TMPDIR=$scratch
mux() {
    tmux -L gpuplan -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT

# shows TEXT: it is on the screen within some seconds.
shows() {
    for _ in $(seq 100); do
        if mux capture-pane -p 2>/dev/null | grep -qF -- "$1"; then
            return 0
        fi
        sleep 0.05
    done
    mux capture-pane -p
    return 1
}

gone() {
    for _ in $(seq 100); do
        mux has-session 2>/dev/null || return 0
        sleep 0.05
    done
    return 1
}

# fits COLUMNS ROWS: as many rows as the window has, none wider, the bar of keys on the last.
fits() {
    mux capture-pane -p >"$scratch/pane"
    [ "$(wc -l <"$scratch/pane")" -eq "$2" ] && [ "$(wc -L <"$scratch/pane")" -le "$1" ] &&
        tail -n 1 "$scratch/pane" | grep -q 'F1Help'
}

for size in 80x24 140x40; do
    for term in tmux-256color xterm-256color; do
        columns=${size%x*} rows=${size#*x}
        rm -rf "$scratch/.local"
        # the first server takes the option; the window comes after it
        mux start-server \; set-option -g default-terminal "$term" \; \
            new-session -d -x "$columns" -y "$rows" "$GPUPLAN" 2>"$scratch/said" || {
            skip "screens in tmux as $term" "tmux does not start: $(cat "$scratch/said")"
            continue
        }
        mux set-option -g status off
        mux resize-window -x "$columns" -y "$rows"
        check "$size $term: the ranking" shows '[1 Rank]'
        check "$size $term: the answer" shows 'One GPU is enough'
        check "$size $term: it fits" fits "$columns" "$rows"
        mux send-keys 3
        check "$size $term: one offer" shows '[3 Explain]'
        check "$size $term: its memory" shows 'Memory of the fullest GPU'
        check "$size $term: it fits" fits "$columns" "$rows"
        mux send-keys 2
        check "$size $term: the workload" shows '[2 Workload]'
        check "$size $term: its fields" shows 'Kind of job'
        check "$size $term: it fits" fits "$columns" "$rows"
        mux send-keys F1
        check "$size $term: the help" shows 'Help:'
        mux send-keys Escape
        mux send-keys F10
        check "$size $term: it ends" gone
    done
done
finish

/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"

static const struct command_def commands[COMMAND_COUNT] = {
    {COMMAND_SCREEN, "", "", 0, 0, N_("the interface; without a terminal, the ranking"),
     N_("Opens the interface: the ranking of every offer for the workload, live, with the workload as a form and each "
        "number explained. Where there is no terminal to draw on, the ranking is printed."),
     cmd_rank},
    {COMMAND_RANK, "rank", "", 0, 0, N_("rank the offers for the workload"),
     N_("Ranks every offer of the listings: which machine, how many of its GPUs, split which way, and what it takes in "
        "hours and dollars, with the reason for more than one GPU and the risk of an unverified link. Exit status 1 "
        "when nothing fits."),
     cmd_rank},
    {COMMAND_EXPLAIN, "explain", "", 0, 0, N_("every number of one offer"),
     N_("Memory, time and cost of one offer by part, its risk and the questions to ask, what was assumed, and the "
        "formulas with their constants and sources."),
     cmd_explain},
    {COMMAND_WHATIF, "whatif", "", 0, 0, N_("GPU counts side by side"),
     N_("The same job on 1, 2, 4, 8 and 16 GPUs of one card, each count at the cheapest price there is for it: an "
        "offer of that size, whole machines connected by a network, or the share of another machine's rate. Names the "
        "cheapest and the fastest count and the last one that is worth its money."),
     cmd_whatif},
    {COMMAND_COMPARE, "compare", "", 0, 0, N_("offers, or lists, side by side"),
     N_("The offers given with --pick, a column each. With --by, whole lists: the best of each, and from the first to "
        "the "
        "last what is new, gone, or has another price or rank. `gpuplan compare --by snapshot -l vast` takes the last "
        "two "
        "snapshots of a source."),
     cmd_compare},
    {COMMAND_FIT, "fit", "", 0, 0, N_("which cards hold the workload"),
     N_("For every card: from how many GPUs the workload fits, memory by part and the longest sample or the most "
        "sequences that fit. With --gpu, --gpus, --link, --ram: exactly one machine, whether anybody rents it out or "
        "not."),
     cmd_fit},
    {COMMAND_TOPO, "topo", N_("[FILE]"), 0, 1, N_("what a machine's links are, and what they mean for the job"),
     N_("Reads the output of `nvidia-smi topo -m` or `rocm-smi --showtopo` (or of the script of `gpuplan probe`) from "
        "a "
        "file or standard input, as it was pasted. Says how the GPUs are connected, which pair is the worst, which "
        "GPUs are nearest to each other, and what the job takes on the listed offer with these links instead of the "
        "claimed ones. --gpu says which card it is when the text does not."),
     cmd_topo},
    {COMMAND_PROBE, "probe", "", 0, 0, N_("a script that looks at a rented machine"),
     N_("Writes a POSIX shell script. Run it on the machine before the work begins: `gpuplan probe | ssh HOST sh | "
        "gpuplan "
        "topo`. It only reads: cards, links, lanes, power limits, processor, memory, disks. Nothing is installed, "
        "written "
        "or sent, and no identifiers are shown."),
     cmd_probe},
    {COMMAND_CALIBRATE, "calibrate", N_("FILE..."), 1, -1, N_("fit constants to your own measurements"),
     N_("Reads logs of nccl-tests and your own runs (rows of the measurements format), fits what links and cards "
        "really "
        "gave, and writes a file for --calibration: to -o FILE, else into the folder of calibrations. --gpu, --gpus "
        "and "
        "--link say what a log does not. docs/calibration.md says what is fitted, and what is not."),
     cmd_calibrate},
    {COMMAND_EXPORT, "export", "", 0, 0, N_("a decision as a file that starts the job"),
     N_("Writes one offer of the ranking, as it was planned, for people (md, html), programs (json) or what starts the "
        "job: "
        "torchrun, deepspeed and slurm for training, vllm for serving, skypilot to rent the machine as well."),
     cmd_export},
    {COMMAND_SAVE, "save", N_("FILE"), 1, 1, N_("keep a decision"),
     N_("Keeps the workload, what was assumed and measured, the answer, and the best offers as they are listed now, "
        "with the "
        "picked one, in one file."),
     cmd_save},
    {COMMAND_OPEN, "open", N_("FILE"), 1, 1, N_("hold a kept decision against today's listings"),
     N_("Asks the same question again, of today's listings or those of -l: which of the kept offers are still there, "
        "at "
        "which price, what the job would take now, and what would be the answer today."),
     cmd_open},
    {COMMAND_VALIDATE, "validate", N_("FILE..."), 1, -1, N_("predicted against measured"),
     N_("Predicts every row of measurement files and sums up the errors."), cmd_validate},
    {COMMAND_IMPORT, "import", N_("FILE..."), 1, -1, N_("read any listing, write our format"),
     N_("Reads listings in any supported format, checks and completes them, and writes CSV, or JSON Lines when the "
        "output file ends in .jsonl; .gz on top packs it."),
     cmd_import},
    {COMMAND_FETCH, "fetch", N_("SOURCE..."), 0, -1, N_("fetch price lists of providers"),
     N_("Asks providers for their price lists, several at once, and keeps what they answer as snapshots, which rank "
        "and "
        "the others use when no listing is given. Keys come from environment variables or from the file keys of the "
        "configuration folder, which nobody else may be able to read; `gpuplan list endpoints` names them. A source "
        "that fails keeps the snapshot it had. All snapshots of 14 days are kept, then one a week for a year. Proxies "
        "are taken from https_proxy and its like. Exit status 3 when a source failed."),
     cmd_fetch},
    {COMMAND_LIST, "list", N_("TOPIC"), 1, 1, N_("what the program knows"),
     N_("Topics: gpus, models, presets, links, machines, providers, sources, endpoints (of fetch), snapshots (what "
        "was fetched), fields, assumptions, columns, filter, engines, actions (of the interface, with their keys)."),
     cmd_list},
};

const struct command_def *command_table(void) {
    return commands;
}

const struct command_def *command_find(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (commands[i].name[0] && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

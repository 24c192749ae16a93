#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One model on 2, 4 and 8 ranks, as published: does the width come out that won, as one server and as copies of it?"""
import collections
import csv
import json
import math
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
program = os.environ.get("GPUPLAN", "./gpuplan")
shared = os.environ.get("SHARED_DIR") or os.path.join(here, "..", "..", "shared")
rows_file = os.path.join(shared, "measurements", "inference.csv")
cards = ("L40S", "A100-PCIe-80GB", "A100-SXM4-80GB")
least_right = 0.9  # of the single comparisons
noise = 1.055  # the median step between two versions of one program: widths closer than that have no winner


def read_series():
    """{(gpu, source, model, precision, input, output): {tp: (measured, predicted)}}"""
    done = subprocess.run([program, "validate", rows_file, "--format", "json", "-q"], capture_output=True, text=True)
    predicted = {row["id"]: row["predicted"] for row in json.loads(done.stdout)["rows"]}
    series = collections.defaultdict(dict)
    with open(rows_file, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["gpu"] in cards and row["mode"] == "offline" and row["tp"]:
                key = tuple(row[name] for name in ("gpu", "source", "model", "precision", "input_len", "output_len"))
                series[key][int(row["tp"])] = (float(row["value"]), predicted[row["id"]]["expected"])
    return {key: widths for key, widths in series.items() if len(widths) > 1}


def winner(widths, which, copies):
    """The width with most tokens a second, of one server or of eight GPUs full of copies."""
    return max(widths, key=lambda tp: widths[tp][which] / (tp if copies else 1))


def is_right(widths, copies):
    won, came_out = winner(widths, 0, copies), winner(widths, 1, copies)
    share = widths[won][0] / widths[came_out][0] * (came_out / won if copies else 1)
    return share <= noise


def mean_of(series, gpu):
    """All lengths of a card together: geometric means over the series that have the same widths."""
    by_widths = collections.defaultdict(list)
    for key, widths in series.items():
        if key[0] == gpu:
            by_widths[tuple(sorted(widths))].append(widths)
    for tps, members in by_widths.items():
        yield {
            tp: tuple(math.exp(sum(math.log(one[tp][i]) for one in members) / len(members)) for i in (0, 1))
            for tp in tps
        }


def main():
    if not os.path.exists(rows_file):
        print("ok - tp series # SKIP no measurements beside the source tree")
        return 0
    series = read_series()
    failed = False
    for copies in (False, True):
        said = "copies on eight GPUs" if copies else "one server"
        for gpu in cards:
            for widths in mean_of(series, gpu):
                won, came_out = winner(widths, 0, copies), winner(widths, 1, copies)
                fine = is_right(widths, copies)
                failed |= not fine
                name = "/".join(str(tp) for tp in sorted(widths))
                print(f"{'ok' if fine else 'not ok'} - {gpu}, {said}: of {name} ranks {won} won, {came_out} came out")
        right = [is_right(one, copies) for one in series.values()]
        fine = sum(right) >= least_right * len(right)
        failed |= not fine
        print(f"{'ok' if fine else 'not ok'} - {said}: {sum(right)} of {len(right)} winners at single lengths")
    return failed


if __name__ == "__main__":
    sys.exit(main())

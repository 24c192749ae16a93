#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests/cases.txt through the command line; one line a check (see tests/sum_results)."""
import json
import os
import re
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
program = os.environ.get("GPUPLAN", "./gpuplan")


def run(arguments):
    done = subprocess.run([program, *shlex.split(arguments), "--format", "json", "-q"], capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    return done, answer


def value(arguments, path):
    done, answer = run(arguments)
    if path == "status":
        return done.returncode
    if not answer:
        raise ValueError("no answer: " + done.stderr.strip()[:200])
    first = {"m": answer.get("machines") or [{}], "c": answer.get("candidates") or [{}]}[path[0]][0]
    *parents, names = path[2:].split(".")
    at = first
    for name in parents:
        at = at[name]
    times = first["gpus"] if names.endswith("*gpus") else 1
    found = [at[name] for name in names.removesuffix("*gpus").split("+")]
    return found[0] if len(found) == 1 and times == 1 else sum(found) * times


def meets(got, wanted):
    if got is None:
        return False
    if match := re.fullmatch(r"~(\S+) (\S+)%", wanted):
        centre, share = float(match[1]), float(match[2]) / 100
        return abs(got - centre) <= share * centre
    if match := re.fullmatch(r"(\S+)\.\.(\S+)", wanted):
        return float(match[1]) <= got <= float(match[2])
    if wanted[:2] in (">=", "<="):
        return got >= float(wanted[2:]) if wanted[0] == ">" else got <= float(wanted[2:])
    return str(got) in wanted.split("/")


def check(arguments, path, wanted):
    both = arguments.split(" vs ")
    got = value(both[0], path)
    if len(both) == 2:
        got /= value(both[1], path)
    return meets(got, wanted), got


def main():
    failed = False
    right, wrong = set(), set()
    with open(os.path.join(here, "cases.txt"), encoding="utf-8") as lines:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            reason = parts.pop(0).removeprefix("known ") if line.startswith("known ") else None
            case, claim, arguments, path, wanted = parts
            try:
                fine, got = check(arguments, path, wanted)
            except (KeyError, IndexError, TypeError, ValueError) as problem:
                fine, got = False, repr(problem)
            failed = failed or not (fine or reason)
            (right if fine else wrong).add(case)
            shown = f"{got:.4g}" if isinstance(got, float) else got
            tail = "" if fine else f": {path} is {shown}, not {wanted}" + (f" # SKIP {reason}" if reason else "")
            print(f"{'ok' if fine or reason else 'not ok'} - {case} {claim}{tail}")
            if reason and fine:
                print(f"# {case} is met now: take `known` away")
    print(f"# cases wholly right: {len(right - wrong)} of {len(right | wrong)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())

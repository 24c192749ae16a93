#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests/cases.txt through the command line; one line a check (see tests/sum_results)."""
import functools
import json
import operator
import os
import re
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
program = os.environ.get("GPUPLAN", "./gpuplan")
pairs = {" vs ": operator.truediv, " less ": operator.sub}


@functools.lru_cache(maxsize=None)
def run(arguments):
    words = [word.replace("FIXTURES", os.path.join(here, "fixtures")) for word in shlex.split(arguments)]
    done = subprocess.run([program, *words, "--format", "json", "-q"], capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    return done, answer


def subject(answer, name):
    """m: the machine of `fit`; c: the first candidate; c:NAME: the one of that machine; r: the first refusal."""
    if name == "m":
        return answer["machines"][0]
    if name == "r":
        return answer["refused"][0]
    if name == "c":
        return answer["candidates"][0]
    return next(one for one in answer["candidates"] if one["machine"] == name[2:])


def value(arguments, path):
    done, answer = run(arguments)
    if path == "status":
        return done.returncode
    if not answer:
        raise ValueError("no answer: " + done.stderr.strip()[:200])
    first, *parents, names = path.split(".")
    at = subject(answer, first)
    for name in parents:
        at = at[name]
    found = [at[name] for name in names.split("+")]
    return found[0] if len(found) == 1 else sum(found)


def meets(got, wanted):
    if got is None:
        return "null" in wanted.split("/")
    if wanted.startswith("has "):
        return any(wanted[4:] in one for one in got)
    if match := re.fullmatch(r"~(\S+) (\S+)%", wanted):
        centre, share = float(match[1]), float(match[2]) / 100
        return abs(got - centre) <= share * centre
    if match := re.fullmatch(r"(\S+)\.\.(\S+)", wanted):
        return float(match[1]) <= got <= float(match[2])
    if wanted[:2] in (">=", "<="):
        return got >= float(wanted[2:]) if wanted[0] == ">" else got <= float(wanted[2:])
    return str(got) in wanted.split("/")


def check(arguments, path, wanted):
    for sign, combine in pairs.items():
        if sign in arguments:
            one, other = arguments.split(sign)
            got = combine(value(one, path), value(other, path))
            return meets(got, wanted), got
    got = value(arguments, path)
    return meets(got, wanted), got


def read_checks(path):
    """Yields (reason or None, case, claim, arguments, path, expectation); `let` lines are put in their place."""
    names = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = re.sub(r"\$(\w+)", lambda match: names.get(match[1], match[0]), line.strip())
            if line.startswith("let "):
                name, _, meaning = line[4:].partition(" = ")
                names[name] = meaning
            elif line and not line.startswith("#"):
                parts = [part.strip() for part in line.split(" | ")]
                reason = parts.pop(0).removeprefix("known ") if line.startswith("known ") else None
                if len(parts) != 5:
                    sys.exit(f"{path}:{number}: {len(parts)} fields, 5 are wanted")
                yield (reason, *parts)


def main():
    failed = False
    right, wrong = set(), set()
    for reason, case, claim, arguments, path, wanted in read_checks(os.path.join(here, "cases.txt")):
        try:
            fine, got = check(arguments, path, wanted)
        except (KeyError, IndexError, StopIteration, TypeError, ValueError) as problem:
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

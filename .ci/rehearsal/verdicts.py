"""Compares two tables of `nri-compat check --format csv`: verdicts.py BEFORE AFTER [or-unknown]

Each program has the same verdict under each target, for the same rule and events, and with the same confidence. Remedies
name the newest release, and differ. With `or-unknown`, any verdict may have become `unknown`, but none anything else.
"""

import csv
import sys

SAME = ["path", "target", "verdict", "rule", "events", "confidence"]


def rows(path):
    with open(path, newline="") as table:
        return list(csv.DictReader(table))


def main(before, after, *words):
    before, after = rows(before), rows(after)
    wrong = [f"{len(before)} verdicts became {len(after)}"] if len(before) != len(after) else []
    for old, new in zip(before, after):
        old, new = ([row[column] for column in SAME] for row in (old, new))
        became_unknown = words == ("or-unknown",) and old[:2] == new[:2] and new[2] == "unknown"
        if old != new and not became_unknown:
            wrong.append(f"{old} became {new}")
    if wrong or not before:
        sys.exit("\n".join(wrong) or "no verdicts")
    print(f"{len(before)} verdicts")


main(*sys.argv[1:])

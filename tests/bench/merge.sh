#!/bin/bash
# How long `nri-compat merge` takes for the reports of 100,000 nodes, and how much memory, next to a tenth of them.
# Needs python3 and /usr/bin/time. Usage: tests/bench/merge.sh [REPORTS]
set -eu
cd "$(dirname "$0")/../.."
reports=${1:-100000}

cargo build --profile bench --quiet -p nri-compat
ours=${CARGO_TARGET_DIR:-target}/release/nri-compat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
NODE_NAME=bench "$ours" logs tests/fixtures/logs/*.log --format jsonl >"$work/node" || [ $? -eq 100 ]
python3 - "$work" "$reports" <<'PYTHON'
import sys
work, reports = sys.argv[1], int(sys.argv[2])
node = open(f"{work}/node").read()
for name, count in (("tenth", reports // 10), ("all", reports)):
    with open(f"{work}/{name}", "w") as out:
        for nth in range(count):
            out.write(node.replace("template", f"plugin{nth % 50}").replace('"node":"bench"', f'"node":"node-{nth}"'))
PYTHON
for part in tenth all; do
    echo "$(wc -l <"$work/$part") reports, $(du -m "$work/$part" | cut -f1) MiB:"
    /usr/bin/time -f "  %e s, peak memory %M KiB" "$ours" merge "$work/$part" | tail -1
done

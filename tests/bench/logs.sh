#!/bin/bash
# How fast `nri-compat logs` reads, next to `rg -c` for the same lines, in the same run: medians of several runs, warm cache.
# Needs ripgrep, gzip, zstd, /usr/bin/time and python3. Usage: tests/bench/logs.sh [GIB] [RUNS]     (default 2 and 9)
set -eu
cd "$(dirname "$0")/../.."
gib=${1:-2} runs=${2:-9}

cargo build --profile bench --quiet -p nri-compat
ours=${CARGO_TARGET_DIR:-target}/release/nri-compat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The recorded runs again and again, with what containerd writes most in between: pods that come and go.
python3 - "$work" "$gib" tests/fixtures/logs <<'PYTHON'
import pathlib, sys, json
work, gib, fixtures = pathlib.Path(sys.argv[1]), float(sys.argv[2]), pathlib.Path(sys.argv[3])
recorded = (fixtures / "containerd-v2.4.2-old-plugin.logfmt.log").read_text()
day = "".join(
    f'time="2026-11-21T{h:02}:{m:02}:{s:02}.909751117Z" level=info msg="StartContainer for \\"{h*3600+m*60+s:064x}\\" returns successfully"\n'
    for h in range(4) for m in range(60) for s in range(60)) + recorded
wrapped = "".join(json.dumps({"_HOSTNAME": "node-1", "_SYSTEMD_UNIT": "containerd.service", "MESSAGE": line,
    "__REALTIME_TIMESTAMP": "1795261638909751"}) + "\n" for line in day.splitlines())
for name, text in [("logfmt", day), ("journal", wrapped)]:
    with open(work / name, "w") as out:
        written = 0
        while written < gib * 2**30:
            written += out.write(text)
PYTHON
gzip -1 -k "$work/logfmt"
zstd -q -1 "$work/logfmt" -o "$work/logfmt.zst"

# Every line that ours takes apart, and no other.
pattern='NRI plugin|closing plugin|(external|synchronize) plugin:|/nri-(plugin-interface|v010-plugin)|plugin [0-9]{2}-|plugin \\*".*( registered as | connected)'

python3 - "$ours" "$work" "$runs" "$pattern" <<'PYTHON'
import os, statistics, subprocess, sys, time
ours, work, runs, pattern = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
def once(command, stdin=None):
    start = time.perf_counter()
    with open(stdin or os.devnull, "rb") as source:
        subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start
def row(name, size, *commands):
    for command in commands: once(*command)
    times = [[] for _ in commands]
    for _ in range(runs):
        for column, command in zip(times, commands): column.append(once(*command))
    medians = [statistics.median(column) for column in times]
    print(f"{name:18}" + "".join(f"  {m:6.3f} s {size / m / 1e9:6.2f} GB/s" for m in medians)
          + (f"  ratio {medians[0] / medians[1]:.2f}" if len(medians) > 1 else ""), flush=True)
plain = {name: os.path.getsize(f"{work}/{name}") for name in ("logfmt", "journal")}
print(f"{'':18}  nri-compat logs        rg -c")
for name, size in plain.items():
    path = f"{work}/{name}"
    logs, rg = [ours, "logs", path], ["rg", "-j1", "-c", pattern, path]
    row(name, size, (logs,), (rg,))
    row(name + ", stdin", size, ([ours, "logs", "-"], path), (["rg", "-j1", "-c", pattern, "-"], path))
row("gzip", plain["logfmt"], ([ours, "logs", f"{work}/logfmt.gz"],), (["gzip", "-dc", f"{work}/logfmt.gz"],))
row("zstd", plain["logfmt"], ([ours, "logs", f"{work}/logfmt.zst"],), (["zstd", "-dcq", f"{work}/logfmt.zst"],))
PYTHON
/usr/bin/time -f "peak memory %M KiB (journal)" "$ours" logs --fail-on never "$work/journal" >/dev/null

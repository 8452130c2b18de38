#!/bin/bash
# How fast `nri-compat check` reads Go binaries, next to `go version -m` on the same files in the same run (on all of
# them at once, and file by file, as scripts use it): medians of several runs, warm cache. Plugins of an old and of a
# new NRI, and a Go program of that size that has nothing to do with NRI.
# Needs Go and python3. Usage: tests/bench/check.sh [FILES] [RUNS]     (default 300 of each, 5 runs)
set -eu
cd "$(dirname "$0")/../.."
files=${1:-300} runs=${2:-5}

cargo build --release --quiet -p nri-compat
ours=${CARGO_TARGET_DIR:-target}/release/nri-compat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
  (cd tests/peers && CGO_ENABLED=0 go build -trimpath -buildvcs=false -modfile "$1" -ldflags='-s -w' -o "$work/$2" "$3")
}
build go.mod new ./specimens/plain
build v0_11_0.mod old ./specimens/plain
build go.mod other github.com/tetratelabs/wazero/cmd/wazero
for kind in new old other; do
  mkdir "$work/all-$kind"
  for at in $(seq "$files"); do cp "$work/$kind" "$work/all-$kind/$at"; done
done

python3 - "$ours" "$work" "$files" "$runs" <<'PYTHON'
import os, statistics, subprocess, sys, time
ours, work, files, runs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def once(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start
print(f"{files} files of each kind      nri-compat check   go version -m FOLDER        go version -m FILE")
for kind, name in [("new", "plugins, v0.12.5"), ("old", "plugins, v0.11.0"), ("other", "without NRI")]:
    folder = f"{work}/all-{kind}"
    each = 'for file in "$1"/*; do go version -m "$file"; done'
    commands = [[ours, "check", folder], ["go", "version", "-m", folder], ["sh", "-c", each, "sh", folder]]
    for command in commands: once(command)
    times = [[] for _ in commands]
    for _ in range(runs):
        for column, command in zip(times, commands): column.append(once(command))
    mine, theirs, alone = (statistics.median(column) for column in times)
    size = os.path.getsize(f"{work}/{kind}") / 1e6
    print(f"{name:17} {size:4.1f} MB  {1e3 * mine / files:10.3f} ms a file {1e3 * theirs / files:8.3f} ms, {theirs / mine:.1f} times as long {1e3 * alone / files:8.3f} ms, {alone / mine:.1f} times as long", flush=True)
PYTHON
/usr/bin/env -S sh -c 'if [ -x /usr/bin/time ]; then /usr/bin/time -q -f "peak memory %M KiB (old plugins)" "$1" check "$2" >/dev/null; fi' _ "$ours" "$work/all-old" || true

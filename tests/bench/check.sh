#!/bin/bash
# Measures how fast `nri-compat check` reads Go binaries, next to `go version -m` on the same files in the same run (on
# all of them at once, and file by file, as scripts use it): medians of several runs, warm cache. The files are plugins
# of an old and of a new NRI, and a Go program of that size that has nothing to do with NRI.
#
# Then the yardsticks that no reader can beat: for the plugins, reading the sections that a verdict needs (the function
# table, types and build information) with `pread`; for /usr, `find /usr -type f -exec head -c 512 {} +`. Both warm, and
# cold where the page cache can be dropped (as root). Last, the peak memory, also for a folder of 600,000 files.
# Needs Go and python3. Usage: tests/bench/check.sh [FILES] [RUNS]     (default 300 of each, 5 runs)
set -eu
cd "$(dirname "$0")/../.."
files=${1:-300} runs=${2:-5}

cargo build --profile bench --quiet -p nri-compat
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

python3 - "$ours" "$work" "$runs" <<'PYTHON'
import os, statistics, struct, subprocess, sys, time
ours, work, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
NEEDED = (b".gopclntab", b".data.rel.ro.gopclntab", b".rodata", b".typelink", b".itablink", b".go.buildinfo", b".go.module")
def sections(path):
    """Offset and size of the sections that a verdict needs, of a 64-bit little-endian ELF file."""
    with open(path, "rb") as file: head = file.read()
    at, = struct.unpack_from("<Q", head, 40)
    size, count, names = struct.unpack_from("<HHH", head, 58)
    rows = [struct.unpack_from("<IIQQQQ", head, at + size * n) for n in range(count)]
    start = rows[names][4]
    name = lambda row: head[start + row[0]:head.index(b"\0", start + row[0])]
    return [(row[4], row[5]) for row in rows if name(row) in NEEDED]
def read_needed(folder, parts):
    buffer = bytearray(max(size for _, size in parts))
    view = memoryview(buffer)
    for name in os.listdir(folder):
        file = os.open(f"{folder}/{name}", os.O_RDONLY)
        os.pread(file, 4096, 0)
        for offset, size in parts: os.preadv(file, [view[:size]], offset)
        os.close(file)
def command(*words):
    return lambda: subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
def drop():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file: file.write("3")
def once(work):
    start = time.perf_counter(); work(); return time.perf_counter() - start
def compare(what, mine, yardstick, cold):
    times = ([], [])
    for _ in range(runs):
        for column, run in zip(times, (mine, yardstick)):
            if cold: drop()
            column.append(once(run))
    a, b = map(statistics.median, times)
    print(f"{what:34} {'cold' if cold else 'warm'}   {1e3 * a:8.0f} ms   {1e3 * b:8.0f} ms   {a / b:.2f} times", flush=True)
print("\nyardsticks                                 nri-compat     yardstick")
cases = []
for kind in ["old", "new"]:
    folder = f"{work}/all-{kind}"
    parts = sections(f"{work}/{kind}")
    cases.append((f"needed bytes of {kind} plugins", command(ours, "check", folder), lambda folder=folder, parts=parts: read_needed(folder, parts)))
cases.append(("/usr, first 512 bytes of each file", command(ours, "check", "/usr"), command("find", "/usr", "-type", "f", "-exec", "head", "-c", "512", "{}", "+")))
for what, mine, yardstick in cases:
    mine(); yardstick()
    compare(what, mine, yardstick, False)
    try: compare(what, mine, yardstick, True)
    except OSError as error: print(f"{what:34} cold: the page cache cannot be dropped ({error.strerror})")
PYTHON

mkdir "$work/many"
python3 -c 'import os, sys
for number in range(600_000): os.close(os.open(f"{sys.argv[1]}/{number}", os.O_CREAT))' "$work/many"
python3 - "$ours" "$work/all-old" "$work/many" <<'PYTHON'
import os, subprocess, sys
for folder in sys.argv[2:]:
    child = subprocess.Popen([sys.argv[1], "check", folder], stdout=subprocess.DEVNULL)
    usage = os.wait4(child.pid, 0)[2]
    print(f"peak memory {usage.ru_maxrss} KiB ({len(os.listdir(folder))} files)")
PYTHON

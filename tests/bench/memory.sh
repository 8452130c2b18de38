#!/bin/bash
# Measures the peak memory of `nri-compat check`: for 30,000 findings in each format, and for a folder of 600,000 files.
# Needs python3. Usage: tests/bench/memory.sh [FINDINGS] [FILES]     (default 30000 and 600000)
set -eu
cd "$(dirname "$0")/../.."
findings=${1:-30000} files=${2:-600000}

if [ -z "${NRI_COMPAT:-}" ]; then cargo build --profile bench --quiet -p nri-compat; fi
ours=${NRI_COMPAT:-${CARGO_TARGET_DIR:-target}/release/nri-compat}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$ours" "$work" "$findings" "$files" <<'PYTHON'
import os, subprocess, sys
ours, work, findings, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
# A WebAssembly plugin that lacks the functions of both the old and the new interface.
module = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0"
os.mkdir(f"{work}/findings")
for number in range(findings):
    with open(f"{work}/findings/{number % 100:02}-plugin-{number}.wasm", "wb") as file: file.write(module)
os.mkdir(f"{work}/files")
for number in range(files): os.close(os.open(f"{work}/files/{number}", os.O_CREAT))
def measure(label, *words):
    with open(f"{work}/out", "wb") as out:
        child = subprocess.Popen([ours, *words], stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    size = os.path.getsize(f"{work}/out") / 2**20
    print(f"{label:34} {usage.ru_maxrss / 1024:7.1f} MiB   output {size:6.1f} MiB   exit {os.waitstatus_to_exitcode(status)}", flush=True)
for form in ["text", "json", "jsonl", "markdown", "csv", "github", "junit", "sarif", "openmetrics"]:
    measure(f"{findings} findings, {form}", "check", f"{work}/findings", "--format", form)
measure(f"{findings} findings, sarif, baseline", "check", f"{work}/findings", "--format", "sarif", "--explain")
measure(f"{files} files", "check", f"{work}/files")
PYTHON

#!/usr/bin/env bash
# Measures nri-adaptation beside the Go adaptation, in turns within one run, and prints medians of the rounds and ratios.
# The runtimes are the example `runtime` and `runtime relay` of the Go peers; each turn starts the plugins anew.
#
#   relay         PostStartContainer to 1 and to 10 Go plugins, and to 1 plugin in the language of the runtime; then to 1
#                 plugin with both processes on one core, and with each on a core of its own
#   raw           our relay beside a ping-pong of the same bytes between two blocking processes, with and without
#                 encoding and decoding the messages (cargo bench, relay)
#   Synchronize   50,000 pods and 100,000 containers: time, and peak memory above that of the runtime with its state
#   merge         the adjustments of 20 plugins (cargo bench, merge)
#   hostile       peak memory, slowest creation and honest plugins while others attack, with the peak of the Go adaptation
#                 (cargo bench, hostile)
#   growth        a relay to 1 to 100 Rust plugins, and with 1 to 10,000 pods in turns; Synchronize of as many
#
# Usage: tests/bench/adaptation.sh [PART…]      default: all of them
# Environment: ROUNDS (default 9), CALLS (in a round, default 3000). Needs Go and python3.
# PEERS and EXAMPLES name folders with the built programs, so that nothing is built here.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
parts="${*:-relay raw Synchronize merge hostile growth}"

peers=${PEERS:-$(mktemp -d)}
if [ -z "${PEERS:-}" ]; then
    trap 'rm -rf "$peers"' EXIT
    (cd tests/peers && go build -o "$peers" ./runtime ./plugin ./merge)
    (cd tests/bench/hostile && go build -o "$peers" .)
fi
examples=${EXAMPLES:-$target/release/examples}
[ -n "${EXAMPLES:-}" ] || cargo build -q --profile bench -p nri -p nri-adaptation --features nri/cli,nri/serde,nri-adaptation/oci --example runtime --example logger

for part in $parts; do
    case $part in
    raw) cargo bench -q -p nri-adaptation --bench relay ;;
    hostile)
        cargo bench -q -p nri-adaptation --bench hostile --no-run
        # Plugins log what the runtime does to them.
        cargo bench -q -p nri-adaptation --bench hostile -- "--go=$peers/hostile" 2> /dev/null
        ;;
    merge) cargo bench -q -p nri-adaptation --bench merge -- "$peers/merge" ;;
    relay | Synchronize | growth)
        python3 - "$part" "$examples" "$peers" "${ROUNDS:-9}" "${CALLS:-3000}" <<'PYTHON'
import os, re, statistics, subprocess, sys, tempfile, time
part, examples, peers, rounds, calls = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
EVENT = "PostStartContainer"
RUNTIMES = {
    "ours": [f"{examples}/runtime", "--event", EVENT, "--socket"],
    "Go": [f"{peers}/runtime", "relay", "-event", EVENT, "-socket"],
}
PLUGINS = {
    "Rust": [f"{examples}/logger", "--quiet"],
    "Go": [f"{peers}/plugin", "--quiet", "--events", EVENT],
}

ALLOWED = sorted(os.sched_getaffinity(0))
ONE_CORE = (ALLOWED[0], ALLOWED[0])
TWO_CORES = (ALLOWED[0], ALLOWED[-1])

def on(core):
    """Returns what a process runs first to stay on a core, if one is given."""
    return None if core is None else lambda: os.sched_setaffinity(0, {core})

def run(runtime, language, plugins, count, labels=10, pods=0, cores=(None, None)):
    """Starts a runtime and its plugins, each on its core, and returns the numbers that the runtime prints."""
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/nri.sock"
        flags = {"wait": plugins, "count": count, "labels": labels, "pods": pods}
        command = RUNTIMES[runtime] + [socket] + [f"--{name}={value}" for name, value in flags.items()]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=on(cores[0]))
        while not os.path.exists(socket) and process.poll() is None: time.sleep(0.002)
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started = [subprocess.Popen(PLUGINS[language] + ["--socket", socket, "--name", f"p{at}", "--index", f"{at % 100:02}"], preexec_fn=on(cores[1]), **quiet)
                   for at in range(plugins)]
        try:
            output, _ = process.communicate(timeout=120)
        finally:
            process.kill()
            for plugin in started: plugin.kill()
            for plugin in started: plugin.wait()
        if process.returncode: sys.exit(f"error: {' '.join(command)} failed")
        return {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", output)}

def medians(cases, rounds):
    """Runs the cases in turns."""
    runs = [[] for _ in cases]
    for _ in range(rounds):
        for column, case in zip(runs, cases): column.append(run(*case))
    return [{name: statistics.median(each[name] for each in column) for name in column[0]} for column in runs]

def row(name, mine, theirs, width, more=""):
    columns = [f"{figures[which]:9.1f}" for figures in (mine, theirs) for which in ("p50", "p99")]
    ratios = [f"{mine[which] / theirs[which]:6.2f}" for which in ("p50", "p99")]
    print(f"{name:{width}}" + "".join(columns + ratios) + more, flush=True)

def head(rounds):
    print(f"{EVENT} (us), medians of {rounds} rounds\n{'':32} ours p50      p99   Go p50      p99 ratios")

def relay():
    head(rounds)
    for name, language, plugins in [("1 Go plugin", "Go", 1), ("10 Go plugins", "Go", 10), ("the same language on both ends", None, 1)]:
        count = max(calls // plugins, 1)
        row(name, *medians([("ours", language or "Rust", plugins, count), ("Go", language or "Go", plugins, count)], rounds), 32)
    if len(ALLOWED) < 2: sys.exit("error: two processes on two cores need two cores")
    for name, cores in [("  both on one core", ONE_CORE), ("  each on a core of its own", TWO_CORES)]:
        row(name, *medians([("ours", "Rust", 1, calls, 10, 0, cores), ("Go", "Go", 1, calls, 10, 0, cores)], rounds), 32)

def synchronize():
    few = min(rounds, 5)
    mine, theirs = medians([("ours", "Go", 1, 1, 4, 50_000), ("Go", "Go", 1, 1, 4, 50_000)], few)
    print(f"Synchronize of a Go plugin, {mine['pods']:.0f} pods and {mine['containers']:.0f} containers, {mine['bytes'] / 1e6:.1f} MB, medians of {few}")
    for name, figures in [("ours", mine), ("Go", theirs)]:
        memory = figures["memory"] * 1024
        print(f"  {name:5} {figures['ms']:8.0f} ms, memory {memory / 1e6:6.1f} MB, {memory / figures['bytes']:.2f} times the encoded size")
    print(f"  ratio of the times {mine['ms'] / theirs['ms']:.2f}", flush=True)

def growth():
    few = min(rounds, 3)
    head(few)
    for plugins in [1, 2, 5, 10, 20, 50, 100]:
        count = max(calls // plugins, 50)
        row(f"{plugins} Rust plugins", *medians([(which, "Rust", plugins, count) for which in RUNTIMES], few), 32)
    for pods in [1, 10, 100, 1_000, 10_000]:
        mine, theirs = medians([(which, "Rust", 1, calls, 10, pods) for which in RUNTIMES], few)
        row(f"{pods} pods, 1 Rust plugin", mine, theirs, 32, f"   Synchronize {mine['ms']:.1f} ms, Go {theirs['ms']:.1f} ms")

{"relay": relay, "Synchronize": synchronize, "growth": growth}[part]()
PYTHON
        ;;
    *) echo "error: $part is none of relay, raw, Synchronize, merge, hostile, growth" >&2; exit 2 ;;
    esac
done

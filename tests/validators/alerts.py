"""Holds the alerts and the dashboard of deploy/ against the metrics that the command writes.

Usage: alerts.py DEPLOY NRI_COMPAT PROMTOOL: the folder, and the two commands.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

# A WebAssembly plugin without the exports that newer runtimes ask for.
PLUGIN = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0"
DAY = 86400
# Metrics of Prometheus itself.
FOREIGN = {"up"}
EXPORTER = {"job": "node-exporter"}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def metrics(command, folder, target="containerd@2.4", plugins=True):
    """The text that the command writes on a made-up node: with an old module and a plugin of NRI v0.1.0, or without."""
    host = folder / f"{target}-{plugins}"
    for place in ["etc/nri", "opt/nri/bin", "opt/nri/plugins"]:
        (host / place).mkdir(parents=True)
    if plugins:
        (host / "opt/nri/plugins/10-old.wasm").write_bytes(PLUGIN)
        (host / "etc/nri/conf.json").write_text('{"version": "0.1", "plugins": [{"type": "clearcfs"}]}')
        program = host / "opt/nri/bin/clearcfs"
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
    options = ["--root", host, "--target", target, "--fail-on", "never", "--node", "node-1", "--format", "openmetrics"]
    return run(command, "check", *options)


def samples(text):
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def value(text, name):
    (found,) = [sample.value for sample in samples(text) if sample.name == name]
    return found


def series(text, instance, without=()):
    """The metrics of a node as input series of promtool: constant for five days."""
    lines = []
    for sample in samples(text):
        if sample.name in without:
            continue
        labels = {**sample.labels, **EXPORTER, "instance": instance}
        shown = ",".join(f"{key}={json.dumps(text)}" for key, text in labels.items())
        lines.append({"series": f"{sample.name}{{{shown}}}", "values": f"{sample.value:.0f}x{5 * 288}"})
    return lines


def up(instance):
    return {"series": f'up{{job="node-exporter",instance="{instance}"}}', "values": f"1x{5 * 288}"}


def firing(alert, seconds, *expected):
    """Expects that exactly these alerts fire: each the labels besides severity and alertname."""
    return {"alertname": alert, "eval_time": f"{seconds}s", "exp_alerts": list(expected)}


def tests(rules, command, folder):
    """Groups of tests, each with the metrics of nodes and the alerts that have to fire then."""
    old, empty = metrics(command, folder), metrics(command, folder, plugins=False)
    start = value(old, "nri_compat_scan_timestamp_seconds")
    verdicts = [sample.labels for sample in samples(old) if sample.name == "nri_compat_verdict"]
    both = series(old, "node-1") + series(empty, "node-2")
    quiet = [rule["alert"] for group in rules["groups"] for rule in group["rules"]]
    silent = "NriCompatNodeSilent"
    cases = [
        ("plugins", both, [expectation(rules, alert, 600, verdicts) for alert in PLUGIN_ALERTS]),
        ("no plugins", series(empty, "node-2") + [up("node-2")], [firing(alert, 2 * DAY - 600) for alert in quiet]),
        ("scans fail", both, [expectation(rules, "NriCompatScanFailing", 3 * DAY, NODES)]),
        ("a node is silent", both + [up("node-1"), up("node-3")], [expectation(rules, silent, DAY + 600, [{**EXPORTER, "instance": "node-3"}])]),
        ("nobody reports", [up("node-1")], [firing(silent, 2 * DAY), expectation(rules, "NriCompatSilent", DAY + 600, [{}])]),
    ]
    for name, inputs, expected in cases:
        yield {"name": name, "interval": "5m", "start_timestamp": int(start), "input_series": inputs, "alert_rule_test": expected}

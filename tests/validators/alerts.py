"""Holds the alerts and the dashboard of deploy/ against the metrics that the command writes.

Usage: alerts.py MONITORING NRI_COMPAT PROMTOOL: the folder with both files, and the two commands.
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
MINUTE, DAY = 60, 86400
TARGET = "containerd@2.4.2"
# The metrics that come from Prometheus itself.
FOREIGN = {"up"}
# One sample every five minutes, for five days.
INTERVAL, SAMPLES = "5m", 5 * 288


def run(*command, stdin=None):
    """Runs a command that must succeed; its output."""
    done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def metrics(command, host, has_plugins):
    """The metrics of a made-up node: with an old module, a plugin of NRI v0.1.0, a broken file and a misspelt setting, or empty."""
    for place in ["etc/nri", "etc/containerd", "etc/crio", "opt/nri/bin", "opt/nri/plugins"]:
        (host / place).mkdir(parents=True)
    if has_plugins:
        (host / "opt/nri/plugins/10-old.wasm").write_bytes(PLUGIN)
        (host / "opt/nri/bin/clearcfs").write_text("#!/bin/sh\nexit 0\n")
        (host / "opt/nri/bin/clearcfs").chmod(0o755)
        (host / "etc/nri/conf.json").write_text('{"version": "0.1", "plugins": [{"type": "clearcfs"}]}')
        (host / "etc/containerd/config.toml").write_text("version = ")
        (host / "etc/crio/crio.conf").write_text('[crio.nri]\nenable_nri = true\nnri_plugin_dirr = "/opt/nri"\n')
    options = ["--root", host, "--target", TARGET, "--fail-on", "never", "--node", host.name]
    return run(command, "check", *options, "--format", "openmetrics")


def samples(text):
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def value(text, name):
    (found,) = [sample.value for sample in samples(text) if sample.name == name]
    return found


def constant(name, labels, number, count=SAMPLES):
    shown = ",".join(f"{key}={json.dumps(text)}" for key, text in labels.items())
    return {"series": f"{name}{{{shown}}}", "values": f"{number:f}x{count}"}


def collected(text, instance, start, count=SAMPLES):
    """The metrics of a node as input of promtool, as a node exporter exposes them, with `start` as the time 0.

    Tests of promtool begin at the time 0, and those of older releases cannot begin later.
    """
    node = {"job": "node-exporter", "instance": instance}
    series = []
    for one in samples(text):
        number = one.value - start if one.name.endswith("_timestamp_seconds") else one.value
        series.append(constant(one.name, {**one.labels, **node}, number, count))
    return [*series, constant("up", node, 1)]


def firing(seconds, alert, *expected):
    """The expectation that exactly these alerts fire: labels, summary and description of each."""
    alerts = []
    for labels, summary, description in expected:
        annotations = {"summary": summary, "description": description}
        alerts.append({"exp_labels": labels, "exp_annotations": annotations})
    return {"alertname": alert, "eval_time": f"{seconds}s", "exp_alerts": alerts}


def group(name, series, *expected):
    return {
        "name": name,
        "interval": INTERVAL,
        "input_series": series,
        "alert_rule_test": list(expected),
    }


def plugin_alerts(seconds, folder):
    """The alerts about the plugins of the first node."""
    module = f"{folder}/node-1/opt/nri/plugins/10-old.wasm"
    labels = {"job": "node-exporter", "instance": "node-1", "kind": "wasm_module", "path": module}
    labels |= {"plugin": "10-old.wasm", "rule": "CHECK_WASM_EXPORTS", "severity": "critical", "suppressed": "false"}
    labels |= {"target": TARGET, "verdict": "incompatible"}
    one_shot = {"plugin": "clearcfs", "removal": "containerd 2.3"}
    return [
        firing(
            seconds,
            "NriPluginIncompatible",
            (
                labels,
                f"NRI plugin 10-old.wasm does not work with {TARGET}",
                f"{module} on node-1 is incompatible under {TARGET}. The report of the node has the next step; "
                "`nri-compat explain CHECK_WASM_EXPORTS` describes the rule.",
            ),
        ),
        firing(
            seconds,
            "NriPluginDeprecated",
            (
                {**one_shot, "target": TARGET, "severity": "info"},
                "NRI plugin clearcfs uses a deprecated interface (nodes: 1)",
                f"It works with {TARGET} through a fallback. Removal is planned for containerd 2.3.",
            ),
        ),
        firing(
            seconds,
            "NriPluginRemovalNear",
            (
                {**one_shot, "severity": "warning"},
                "NRI plugin clearcfs stops working with containerd 2.3",
                "containerd 2.3 is out, or expected within 90 days. Replace the plugin before the nodes are upgraded (nodes: 1).",
            ),
        ),
    ]


def incident(seconds, folder):
    """The alert about the misspelt setting of the first node."""
    labels = {"job": "node-exporter", "instance": "node-1", "kind": "runtime_config", "plugin": "crio.conf"}
    labels |= {"path": f"{folder}/node-1/etc/crio/crio.conf", "rule": "CONFIG_KEY_UNKNOWN", "level": "warning"}
    labels |= {"setting": "crio.nri.nri_plugin_dirr", "happened": "none", "suppressed": "false", "severity": "warning"}
    return firing(
        seconds,
        "NriIncident",
        (
            labels,
            "crio.conf on node-1: CONFIG_KEY_UNKNOWN",
            "It is about the setting crio.nri.nri_plugin_dirr. The report of the node has the next step; "
            "`nri-compat explain CONFIG_KEY_UNKNOWN` describes it.",
        ),
    )


def unknown(seconds):
    return firing(
        seconds,
        "NriPluginUnknown",
        (
            {"plugin": "clearcfs", "target": TARGET, "severity": "info"},
            f"Cannot determine whether NRI plugin clearcfs works with {TARGET}",
            "The reports of the nodes say why, and what to check instead (nodes: 1).",
        ),
    )


def scan(seconds, alert, instance, summary, description, severity="warning"):
    """The expectation of an alert about the scans of a node."""
    labels = {"job": "node-exporter", "instance": instance, "severity": severity}
    return firing(seconds, alert, (labels, summary, description))


def tests(rules, folder, with_plugins, without):
    """The groups of tests."""
    start = int(value(with_plugins, "nri_compat_scan_timestamp_seconds"))
    scanned = int(value(without, "nri_compat_scan_timestamp_seconds"))
    old = int(value(without, "nri_compat_data_timestamp_seconds")) + 180 * DAY
    one, two = collected(with_plugins, "node-1", start), collected(without, "node-2", start)
    three = [constant("up", {"job": "node-exporter", "instance": "node-3"}, 1)]
    every = [rule["alert"] for part in rules["groups"] for rule in part["rules"]]
    found = [*plugin_alerts(10 * MINUTE, folder), incident(10 * MINUTE, folder)]
    yield group("plugins", one + two, *found, unknown(DAY + 10 * MINUTE))
    yield group("nothing is wrong", two, *[firing(DAY + 10 * MINUTE, alert) for alert in every])
    yield group(
        "scans fail",
        collected(without, "node-2", scanned),
        firing(2 * DAY - 10 * MINUTE, "NriCompatScanFailing"),
        scan(
            3 * DAY,
            "NriCompatScanFailing",
            "node-2",
            "node-2 has not been checked for 3d 0h 0m 0s",
            "The scan fails or does not start: see the log of the pod nri-compat on this node.",
        ),
    )
    yield group(
        "a node is silent",
        one + two + three,
        firing(DAY - 10 * MINUTE, "NriCompatNodeSilent"),
        scan(
            DAY + 10 * MINUTE,
            "NriCompatNodeSilent",
            "node-3",
            "node-3 has no report of NRI plugins",
            "Other nodes report. Does the workload nri-compat run on this node, with `textfile.enabled`?",
        ),
    )
    yield group(
        "nobody reports",
        three,
        firing(2 * DAY, "NriCompatNodeSilent"),
        firing(
            DAY + 10 * MINUTE,
            "NriCompatSilent",
            (
                {"severity": "warning"},
                "No node reports NRI plugins",
                "Does nri-compat run, and does the node exporter collect its text files?",
            ),
        ),
    )
    yield group(
        "a file cannot be read",
        one + two,
        firing(2 * DAY - 10 * MINUTE, "NriCompatScanIncomplete"),
        scan(
            2 * DAY + 10 * MINUTE,
            "NriCompatScanIncomplete",
            "node-1",
            "Places on node-1 cannot be checked (1)",
            "The report of the node names them. If only root can read them, set `distribution` in the chart, or use the "
            "overlay of the distribution.",
            "info",
        ),
    )
    yield group(
        "the tables are old",
        collected(without, "node-2", old),
        firing(0, "NriCompatDataOld"),
        scan(
            DAY,
            "NriCompatDataOld",
            "node-2",
            "The tables of nri-compat on node-2 are 181d 0h 0m 0s old",
            "Releases since then are unknown: update nri-compat, or its data.",
            "info",
        ),
    )


def dashboard_tests(dashboard, with_plugins, without):
    """Every query of the dashboard has a result for nodes with plugins, one of which is silent."""
    start = int(value(with_plugins, "nri_compat_scan_timestamp_seconds"))
    silent = constant("up", {"job": "node-exporter", "instance": "node-3"}, 1)
    series = [*collected(with_plugins, "node-1", start), *collected(without, "node-2", start), silent]
    for title, query in queries(dashboard):
        shown = query.replace("$target", ".*").replace("$instance", ".*")
        assert "$" not in shown, query
        some = {"expr": f"count({shown}) > bool 0", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 1}]}
        yield {**group(title, series), "promql_expr_test": [some]}


def names(text):
    """The metrics that an expression reads."""
    return set(re.findall(r"\b(?:nri_compat_\w+|up)\b", text))


def queries(dashboard):
    return [(panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel["targets"]]


def known(text):
    """The metrics that the command writes, also those without samples."""
    return {family.name for family in text_string_to_metric_families(text)}


def main(monitoring, command, promtool):
    rules_file = monitoring / "alerts.yaml"
    rules = yaml.safe_load(rules_file.read_text())
    dashboard = json.loads((monitoring / "dashboard.json").read_text())
    run(promtool, "check", "rules", "--lint=all", "--lint-fatal", rules_file)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = [metrics(command, folder / "node-1", True), metrics(command, folder / "node-2", False)]
        for text in texts:
            # The parser of the older text format, which the node exporter uses, and its rules for names.
            run(promtool, "check", "metrics", stdin=text)
        expressions = [rule["expr"] for part in rules["groups"] for rule in part["rules"]]
        expressions += [query for _, query in queries(dashboard)]
        expressions += [one["query"]["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
        for expression in expressions:
            unwritten = names(expression) - known(texts[0]) - FOREIGN
            assert names(expression) and not unwritten, (expression, unwritten)
        unread = known(texts[0]) - set.union(*map(names, expressions))
        assert not unread, f"neither an alert nor the dashboard reads {sorted(unread)}"
        groups = [*tests(rules, folder, *texts), *dashboard_tests(dashboard, *texts)]
        tested = {one["alertname"] for part in groups for one in part["alert_rule_test"] if one["exp_alerts"]}
        assert tested == {rule["alert"] for part in rules["groups"] for rule in part["rules"]}, tested
        file = folder / "tests.yaml"
        content = {"rule_files": [str(rules_file.absolute())], "evaluation_interval": INTERVAL, "tests": groups}
        file.write_text(yaml.safe_dump(content))
        run(promtool, "test", "rules", file)
    print(f"{len(tested)} alerts fire as they should, and {len(queries(dashboard))} panels have data")


folder, *commands = sys.argv[1:]
main(pathlib.Path(folder), *commands)

"""Runs what the files in deploy/ run, on a made-up repository and a made-up node, and holds it against what they promise.

Usage: deploy.py DEPLOY NRI_COMPAT SCHEMA TEXTFILE: the folder, the command, the schema of its JSON, and what the chart
makes of a Job that writes metrics.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import junitparser
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

# A WebAssembly plugin without the exports that newer runtimes ask for.
PLUGIN = b"\0asm\x01\0\0\0\x07\x16\x01\x12plugin_api_version\0\0"
TARGET = 'targets = ["containerd@2.4"]\n'


def run(arguments, folder, command, seconds=20):
    """Runs a command, or a shell script, for a while; its exit code (None if it was still at it) and what it wrote."""
    if isinstance(arguments, str):
        arguments = ["/bin/sh", "-c", arguments]
    environment = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(folder)}
    out, err = folder / "stdout", folder / "stderr"
    with out.open("w") as stdout, err.open("w") as stderr:
        child = subprocess.Popen(arguments, cwd=folder, env=environment, stdout=stdout, stderr=stderr)
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.terminate()
            assert child.wait(5) == 0, "the command does not end when asked to"
            code = None
    assert "error:" not in err.read_text(), (arguments, err.read_text())
    return code, out.read_text()


def repository(folder):
    (folder / "plugin.wasm").write_bytes(PLUGIN)
    (folder / "nri-compat.toml").write_text(TARGET)


def gitlab(path, command):
    job = yaml.safe_load(path.read_text())["nri-compat"]
    write, check = [line for line in job["script"] if line.startswith("nri-compat check")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        repository(folder)
        assert run(write, folder, command)[0] == 0
        (suite, *_) = junitparser.JUnitXml.fromfile(str(folder / job["artifacts"]["reports"]["junit"]))
        assert suite.failures == 1, suite
        assert run(check, folder, command)[0] == 100


def policy(folder):
    """The policy that the pods mount."""
    documents = yaml.safe_load_all((folder / "kubernetes/common.yaml").read_text())
    (config,) = [one for one in documents if one["kind"] == "ConfigMap"]
    return config["data"]["nri-compat.toml"]


def node(folder, policy):
    """A made-up node with one plugin, and the policy."""
    plugins = folder / "host/opt/nri/plugins"
    plugins.mkdir(parents=True)
    (folder / "host/etc").mkdir()
    (folder / "state").mkdir()
    (plugins / "10-old.wasm").write_bytes(PLUGIN)
    (folder / "nri-compat.toml").write_text(policy)


def verdicts(folder):
    """The verdicts in the file for the node exporter, which is the only one in its folder."""
    (file,) = folder.iterdir()
    text = file.read_text()
    families = {family.name: family.samples for family in text_string_to_metric_families(text)}
    return [one.labels["verdict"] for one in families["nri_compat_verdict"]]


def arguments(container, folder, linger="1ms"):
    """The command of a container, which has no shell, with the paths of the made-up node."""
    assert container["command"] == ["nri-compat"], container["command"]
    paths = {"--root=/host": f"--root={folder}/host", "/etc/nri-compat/": f"{folder}/", "/state/": f"{folder}/state/"}
    paths |= {"/textfile/": f"{folder}/textfile/", "--linger=60s": f"--linger={linger}"}
    line = "\n".join(container["command"] + container["args"])
    for old, new in paths.items():
        line = line.replace(old, new)
    return line.split("\n")


def textfile(path, command, policy):
    """The Job that also writes metrics."""
    (job,) = [one for one in yaml.safe_load_all(path.read_text()) if one and one["kind"] == "Job"]
    (container,) = job["spec"]["template"]["spec"]["containers"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        node(folder, policy)
        (folder / "textfile").mkdir()
        code, _ = run(arguments(container, folder), folder, command)
        assert code == 0 and verdicts(folder / "textfile") == ["incompatible"], code


def systemd(path, command, policy):
    """The command of the unit, on a made-up node instead of the machine."""
    (line,) = [line.removeprefix("ExecStart=") for line in path.read_text().splitlines() if line.startswith("ExecStart=")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        node(folder, policy)
        (folder / "metrics").mkdir()
        line = line.replace("/usr/local/bin/nri-compat", "nri-compat").replace("/etc/nri-compat/", f"{folder}/")
        line = line.replace("nri-compat check", f"nri-compat check --root {folder}/host")
        code, _ = run(f"METRICS={folder}/metrics/nri-compat.prom; {line}", folder, command)
        assert code == 0, (line, code)
        assert verdicts(folder / "metrics") == ["incompatible"]


def pod(path, command, policy, schema):
    """The report that the only container of a manifest writes on a node with one plugin."""
    (container,) = yaml.safe_load(path.read_text())["spec"]["template"]["spec"]["containers"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        node(folder, policy)
        code, said = run(arguments(container, folder), folder, command, seconds=5)
        assert code in (None, 0), (code, said)
        assert not list((folder / "state").iterdir()), "the file that reports readiness is left over"
    (line,) = said.splitlines()
    report = json.loads(line)
    jsonschema.validate(report, schema)
    assert report["targets"][0]["name"].startswith("containerd@"), report["targets"]
    return report


def main(deploy, command, schema, metrics):
    gitlab(deploy / "gitlab/nri-compat.yml", command)
    text = policy(deploy)
    daily = pod(deploy / "kubernetes/daemonset.yaml", command, text, schema)
    found = [one["verdict"] for subject in daily["subjects"] for one in subject["verdicts"]]
    assert found == ["incompatible"], daily
    once = pod(deploy / "kubernetes/job.yaml", command, text, schema)
    assert once["summary"]["files"] > 0, once
    textfile(metrics, command, text)
    systemd(deploy / "systemd/nri-compat.service", command, text)
    print("what deploy/ runs does what it promises")


folder, command, schema, metrics = map(pathlib.Path, sys.argv[1:])
main(folder, pathlib.Path(os.path.abspath(command)), json.loads(schema.read_text()), metrics)

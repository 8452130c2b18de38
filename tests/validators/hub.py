"""Holds what Artifact Hub shows of the charts against the charts.

Usage: hub.py ROOT HELM: the repository, and the command of Helm.
"""

import pathlib
import re
import subprocess
import sys
import tomllib

import yaml

CATEGORIES = {
    "ai-machine-learning", "database", "integration-delivery", "monitoring-logging", "networking", "security", "storage",
    "streaming-messaging",
}  # fmt: skip
KINDS = {"added", "changed", "deprecated", "removed", "fixed", "security"}
# Values with which each chart needs its own images.
VALUES = {"nri-compat": [], "nri-plugin": ["--set", "plugin=logger,bridge.command[0]=/plugin"]}


def rendered_images(helm, chart):
    command = [helm, "template", "x", str(chart), *VALUES[chart.name]]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return set(re.findall(r'image: "?([^"\s]+)', text))


def hold(root, helm, chart, workspace):
    facts = yaml.safe_load((chart / "Chart.yaml").read_text())
    version, address = workspace["package"]["version"], workspace["package"]["homepage"]
    assert facts["version"] == facts["appVersion"] == version, facts
    assert facts["home"] == address and facts["sources"] == [address], facts
    assert facts["maintainers"] and (chart / "values.schema.json").exists() and (chart / "README.md").exists()
    notes = {name.removeprefix("artifacthub.io/"): value for name, value in facts["annotations"].items()}
    assert notes["license"] == workspace["package"]["license"] and notes["category"] in CATEGORIES, notes
    images = {one["image"] for one in yaml.safe_load(notes["images"])}
    assert images <= rendered_images(helm, chart), f"{chart}: no pod has the images {images}"
    for link in yaml.safe_load(notes["links"]) + yaml.safe_load(notes.get("screenshots", "[]")):
        place = re.fullmatch(rf"{re.escape(address)}/(?:blob|raw)/main/(.*)", link["url"])
        assert link["url"].startswith(address) and (not place or (root / place[1]).exists()), f"{chart}: {link} is not there"
    for change in yaml.safe_load(notes["changes"]):
        assert change["kind"] in KINDS and change["description"], change


def main(root, helm):
    workspace = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]
    for chart in sorted((root / "deploy/helm").iterdir()):
        hold(root, helm, chart, workspace)


main(pathlib.Path(sys.argv[1]), sys.argv[2])

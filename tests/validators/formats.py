"""Holds the formats of check reports against independent readers: the JSON is what each has to agree with.

Usage: formats.py FOLDER, with NAME.json, NAME.openmetrics, NAME.junit and NAME.csv in it for every NAME.
"""

import csv
import json
import pathlib
import sys
from datetime import UTC, datetime

from junitparser import Failure, JUnitXml, Skipped
from prometheus_client.openmetrics.parser import text_string_to_metric_families

OUTCOMES = ["ok", "unknown", "deprecated", "removed", "incompatible"]


def verdicts(report):
    return [verdict for subject in report["subjects"] for verdict in subject["verdicts"]]


def incidents(report):
    return [incident for subject in report["subjects"] for incident in subject.get("incidents", [])]


def openmetrics(report, text):
    families = {family.name: family for family in text_string_to_metric_families(text)}
    samples = {name: family.samples for name, family in families.items()}
    summary = report["summary"]
    for outcome in OUTCOMES:
        counted = samples["nri_compat_verdicts"]
        found = sum(one.value for one in counted if one.labels["verdict"] == outcome)
        assert found == summary[outcome], (outcome, found, summary)
    suppressed = sum(one.value for one in samples["nri_compat_suppressed_verdicts"])
    assert suppressed == summary["suppressed"], suppressed
    assert len(samples["nri_compat_verdict"]) == len(verdicts(report))
    assert len(samples["nri_compat_incident"]) == len(incidents(report))
    for one in samples["nri_compat_incidents"]:
        counting = [it for it in incidents(report) if it["level"] == one.labels["level"] and not it["suppressed"]]
        assert one.value == len(counting), one
    for name, key in [("files", "files"), ("plugins", "plugins"), ("skipped", "skipped"), ("size_bytes", "bytes")]:
        (sample,) = samples[f"nri_compat_scan_{name}"]
        assert sample.value == summary[key], (name, sample.value)
    named = {one.labels["removal"] for one in samples["nri_compat_verdict"]}
    assert named == {one.get("planned_removal") or "" for one in verdicts(report)}, named
    assert all(one.value > 0 for one in samples["nri_compat_planned_removal_timestamp_seconds"])
    assert [one.labels["node"] for one in samples["nri_compat_scan_info"]] == [one for one in [summary.get("node")] if one]
    for name, date in [("scan", summary.get("at")), ("data", report["data_date"])]:
        found = [one.value for one in samples[f"nri_compat_{name}_timestamp_seconds"]]
        times = [datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()] if date else []
        assert found == times, (name, found, date)
    (sample,) = samples["nri_compat_scan_duration_seconds"]
    assert abs(sample.value * 1000 - summary["millis"]) < 0.5, sample.value


def junit(report, path):
    suites = {suite.name: list(suite) for suite in JUnitXml.fromfile(str(path))}
    expected = [target["name"] for target in report["targets"]]
    expected += ["incidents"] if incidents(report) else []
    expected += ["skipped"] if report["skipped"] else []
    assert list(suites) == expected + ["run"], list(suites)
    cases = [case for name, suite in suites.items() if name != "skipped" for case in suite]
    every = verdicts(report) + incidents(report)
    assert len(cases) == len(every), len(cases)
    count = lambda kind: sum(isinstance(one, kind) for case in cases for one in case.result)
    failing = [one for one in every if one["level"] != "note" and not one["suppressed"]]
    assert count(Failure) == len(failing), count(Failure)
    skipped = [one for one in every if one["suppressed"] or one.get("verdict") == "unknown"]
    assert count(Skipped) == len(skipped), count(Skipped)


def table(report, text):
    rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
    assert all(None not in row and None not in row.values() for row in rows), rows
    found = sorted((row["target"], row["verdict"], row["rule"]) for row in rows if row["target"])
    expected = sorted((one["target"], one["verdict"], one["rule"] or "") for one in verdicts(report))
    assert found == expected, found
    assert sum(row["verdict"] == "skipped" for row in rows) == len(report["skipped"])
    assert sum(row["verdict"] in ("incident", "configuration") for row in rows) == len(incidents(report))


def main(folder):
    names = sorted(path.stem for path in folder.glob("*.json"))
    assert names, "no reports"
    for name in names:
        report = json.loads((folder / f"{name}.json").read_text())
        openmetrics(report, (folder / f"{name}.openmetrics").read_text())
        junit(report, folder / f"{name}.junit")
        table(report, (folder / f"{name}.csv").read_text())
        print(f"{name}: {len(verdicts(report))} verdicts agree")


main(pathlib.Path(sys.argv[1]))

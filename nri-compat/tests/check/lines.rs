//! Formats for machines name the file and line in Go sources that the evidence is about.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

const GO_MOD: &str = "module corp.example/plugin

go 1.24

require (
	example.org/other v1.0.0
	github.com/containerd/nri v0.11.0
)
";
const MAIN: &str = "package main

import (
	\"context\"

	\"github.com/containerd/nri/pkg/api\"
	\"github.com/containerd/nri/pkg/stub\"
)

type plugin struct{}

func (p *plugin) RunPodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }

func main() {
	_, _ = stub.New(&plugin{})
}
";

/// File and line of the only finding: where the first handler is declared. The `go.mod` above it
/// adds none.
const PLACES: [(&str, u64); 1] = [("cmd/plugin/main.go", 12)];

fn module() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("cmd/plugin")).unwrap();
    fs::write(folder.path().join("go.mod"), GO_MOD).unwrap();
    fs::write(folder.path().join("cmd/plugin/main.go"), MAIN).unwrap();
    folder
}

/// Returns what `check` prints about the module, in its folder.
fn check(format: &str) -> String {
    let folder = module();
    let output = Command::new(env!("CARGO_BIN_EXE_nri-compat"))
        .current_dir(folder.path())
        .args(["check", "cmd", "--target", "containerd@2.4.2", "--format", format])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(100), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn sorted(mut places: Vec<(String, u64)>) -> Vec<(String, u64)> {
    places.sort();
    places
}

fn expected() -> Vec<(String, u64)> {
    PLACES.map(|(file, line)| (file.to_owned(), line)).to_vec()
}

#[test]
fn json_and_sarif() {
    let report: Value = serde_json::from_str(&check("json")).unwrap();
    let places = report["subjects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["path"]), one["place"]["line"].as_u64().unwrap()));
    assert_eq!(sorted(places.collect()), expected());
    let sarif: Value = serde_json::from_str(&check("sarif")).unwrap();
    let locations = sarif["runs"][0]["results"].as_array().unwrap().iter().map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        (text(&place["artifactLocation"]["uri"]), place["region"]["startLine"].as_u64().unwrap())
    });
    assert_eq!(sorted(locations.collect()), expected());
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn annotations_junit_and_tables() {
    let (github, junit) = (check("github"), check("junit"));
    for (file, line) in PLACES {
        let annotation = format!("file={file},line={line}");
        assert!(github.contains(&annotation), "{annotation}: {github}");
        let case = format!("file=\"{file}\" line=\"{line}\"");
        assert!(junit.contains(&case), "{case}: {junit}");
    }
    assert!(check("text").contains("cmd/plugin/main.go:12"));
    assert!(check("markdown").contains("cmd/plugin/main.go:12"));
}

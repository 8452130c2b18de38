//! Go sources: each row of `hostile-sources.toml` gets its answer, which is never `ok`, and
//! `deprecated` only if the program that is built from it is deprecated too.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nri_compat::check::assess::assess;
use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;
use nri_compat::check::target::Target;
use nri_compat::report::check::{CheckReport, Outcome};
use nri_schema::history::History;
use serde::Deserialize;

/// A runtime that calls the dedicated RPCs and deprecates `StateChange`.
const TARGET: &str = "containerd@2.4.2";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The release of NRI that the module is built with.
    nri: String,
    answer: String,
    /// True if the module is built as well.
    #[serde(default)]
    #[cfg_attr(not(feature = "go"), allow(dead_code))]
    build: bool,
    /// Commands that prepare the folder.
    #[serde(default)]
    #[cfg_attr(not(feature = "go"), allow(dead_code))]
    before: Vec<String>,
    files: String,
}

/// A plugin that is affected.
const PLUGIN: &str = "package main

import (
	\"context\"

	\"github.com/containerd/nri/pkg/api\"
	\"github.com/containerd/nri/pkg/stub\"
)

type plugin struct{}

func (p *plugin) RunPodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }

func main() { _, _ = stub.New(&plugin{}) }
";

fn table(name: &str) -> Vec<Row> {
    let text = fs::read_to_string(crate_folder().join(name)).unwrap();
    let table: Table = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    table.row
}

fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the module and checksum files of a module that builds with a release.
fn peer(nri: &str) -> (PathBuf, PathBuf) {
    let peers = crate_folder().join("peers");
    let own = peers.join(format!("{}.mod", nri.replace('.', "_")));
    let file = if own.exists() { own } else { peers.join("go.mod") };
    (file.clone(), file.with_extension("sum"))
}

impl Row {
    /// Writes the files into a folder.
    fn write(&self, folder: &Path) {
        let (module_file, sum_file) = peer(&self.nri);
        let module = fs::read_to_string(module_file).unwrap();
        let (_, require) = module.split_once('\n').unwrap();
        let sums = fs::read(sum_file).unwrap();
        let mut current = "";
        let mut files: BTreeMap<&str, String> = BTreeMap::new();
        for line in self.files.lines() {
            match line.strip_prefix("-- ") {
                Some(file) => current = file,
                None if current.is_empty() => {}
                None => {
                    let text = files.entry(current).or_default();
                    text.push_str(&expanded(line, require));
                    text.push('\n');
                }
            }
        }
        for (name, text) in &files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            if name.ends_with(".mod") {
                fs::write(path.with_extension("sum"), &sums).unwrap();
            }
        }
    }
}

/// Returns a line with what its marks stand for.
fn expanded(line: &str, require: &str) -> String {
    let nri = "github.com/containerd/nri/pkg";
    if let Some(of) = marked(line, "@handler") {
        return format!(
            "func (p *{of}) RunPodSandbox(_ context.Context, _ *api.PodSandbox) error {{ return nil }}"
        );
    }
    if let Some(of) = marked(line, "@create") {
        return format!(
            "func (p *{of}) CreateContainer(_ context.Context, _ *api.PodSandbox, _ *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {{ return nil, nil, nil }}"
        );
    }
    match line {
        "@require" => require.to_owned(),
        "@plugin" => PLUGIN.to_owned(),
        _ => line.replace("@api", &format!("{nri}/api")).replace("@stub", &format!("{nri}/stub")),
    }
}

fn marked<'l>(line: &'l str, mark: &str) -> Option<&'l str> {
    line.strip_prefix(mark)?.strip_prefix('(')?.strip_suffix(')')
}

fn check(path: &Path, go: bool) -> CheckReport {
    let history = History::embedded().unwrap();
    let target = Target::parse(&history, TARGET).unwrap();
    let request = Request { paths: vec![path.to_owned()], go, ..Request::default() };
    assess(collect(&request, READERS), &[target])
}

/// Returns the worst of all verdicts of a report.
fn answer(report: &CheckReport) -> &'static str {
    let outcomes: Vec<Outcome> = report
        .subjects
        .iter()
        .flat_map(|subject| &subject.verdicts)
        .map(|verdict| verdict.outcome)
        .collect();
    let has = |outcome| outcomes.contains(&outcome);
    if has(Outcome::Deprecated) {
        "deprecated"
    } else if has(Outcome::Unknown) {
        "unknown"
    } else if has(Outcome::Ok) {
        "ok"
    } else {
        "nothing"
    }
}

#[test]
fn every_row_gets_its_answer() {
    let mut wrong = Vec::new();
    for row in table("hostile-sources.toml") {
        assert_ne!(row.answer, "ok", "{}", row.name);
        let folder = tempfile::tempdir().unwrap();
        row.write(folder.path());
        let report = check(folder.path(), false);
        let found = answer(&report);
        if found != row.answer {
            let shown: Vec<String> = report
                .subjects
                .iter()
                .map(|one| {
                    format!("    {}: {:?}\n      {:#?}", one.place, one.verdicts, one.evidence)
                })
                .collect();
            wrong.push(format!(
                "{}: expected {}, found {found}\n{}",
                row.name,
                row.answer,
                shown.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[cfg(feature = "go")]
mod built;

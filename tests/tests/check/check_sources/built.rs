use std::process::Command;

use nri_tests::{peers, published};
use xtask::zoo::Zoo;

use super::*;

/// `--go` gives the answer of the program, and a package is deprecated only if the program is.
#[test]
fn sources_are_deprecated_only_where_programs_are() {
    let mut wrong = Vec::new();
    for row in table("hostile-sources.toml").iter().filter(|row| row.build) {
        let folder = tempfile::tempdir().unwrap();
        row.write(folder.path());
        let with_go = answer(&check(folder.path(), true));
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        let build = "CGO_ENABLED=0 go build -buildvcs=false -o programs ./...";
        if let Err(why) = shell(folder.path(), build) {
            wrong.push(format!("{}: does not build: {why}", row.name));
            continue;
        }
        let built = answer(&check(&programs, false));
        let is_wrong = row.answer == "deprecated" && built != "deprecated";
        if is_wrong || with_go != built || built == "nothing" {
            wrong.push(format!(
                "{}: sources {}, --go {with_go}, program {built}",
                row.name, row.answer
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_build_is_unknown_with_the_message_of_go() {
    let folder = tempfile::tempdir().unwrap();
    let rows = table("hostile-sources.toml");
    let row = rows.iter().find(|row| row.answer == "unknown").unwrap();
    row.write(folder.path());
    fs::write(folder.path().join("broken.go"), "package main\nvar a int = \"\"\n").unwrap();
    let report = check(folder.path(), true);
    assert_eq!(answer(&report), "unknown");
    let reason = &report.subjects[0].verdicts[0].reason;
    assert!(reason.contains("go build fails") && reason.contains("broken.go:2"), "{reason}");
    assert_eq!(report.subjects[0].label(), "corp.example/plugin");
}

/// Runs a command line of the Go toolchain.
fn shell(folder: &Path, line: &str) -> Result<(), String> {
    let mut shell = Command::new("sh");
    let output = shell.current_dir(folder).args(["-c", line]).output().expect("a shell");
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns the commands in a remedy.
fn commands(report: &CheckReport) -> String {
    let verdicts = report.subjects.iter().flat_map(|subject| &subject.verdicts);
    let mut remedies = verdicts.filter(|verdict| verdict.outcome == Outcome::Deprecated);
    let remedy = &remedies.next().expect("a verdict").remedy;
    remedy.rsplit("run: ").next().unwrap_or_default().to_owned()
}

#[test]
fn every_remedy_works() {
    let mut wrong = Vec::new();
    for row in table("remedies.toml") {
        let folder = tempfile::tempdir().unwrap();
        row.write(folder.path());
        for line in &row.before {
            shell(folder.path(), line).unwrap_or_else(|e| panic!("{}: {line}: {e}", row.name));
        }
        let before = check(folder.path(), false);
        if answer(&before) != row.answer {
            wrong.push(format!("{}: {} at first", row.name, answer(&before)));
            continue;
        }
        let line = commands(&before);
        if let Err(why) = shell(folder.path(), &line) {
            wrong.push(format!("{}: {line}: {why}", row.name));
            continue;
        }
        let after = check(folder.path(), true);
        if answer(&after) != "ok" {
            let verdicts: Vec<_> = after.subjects.iter().map(|one| &one.verdicts).collect();
            wrong.push(format!("{}: {line}: then {verdicts:#?}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
#[test]
fn published_sources_are_what_their_programs_are() {
    let zoo = Zoo::read().unwrap();
    let mut wrong = Vec::new();
    for plugin in &zoo.plugins {
        let release = plugin.releases.last().unwrap();
        let folder = peers::sources(&plugin.module, &release.version);
        let sources = answer(&check(&folder.join(&plugin.package), false));
        let program = answer(&check(&published::program(plugin, release), false));
        if sources == "ok" || sources == "deprecated" && program != sources {
            wrong.push(format!("{}: sources {sources}, program {program}", plugin.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! The binary on a separate repository: the files that an import writes, errors, and exit codes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use nri_protos::REVISIONS;
use tempfile::TempDir;

/// Returns a repository with the tables and protos of this one, without generated files.
fn repository() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let protos = root.path().join("protos");
    fs::create_dir_all(&protos).unwrap();
    fs::write(protos.join("versions.toml"), nri_protos::VERSIONS_TOML).unwrap();
    fs::write(protos.join("runtimes.toml"), nri_protos::RUNTIMES_TOML).unwrap();
    fs::write(protos.join("deprecations.toml"), nri_protos::DEPRECATIONS_TOML).unwrap();
    fs::write(protos.join("distributions.toml"), nri_protos::DISTRIBUTIONS_TOML).unwrap();
    let events = include_str!("../../protos/events.toml");
    fs::write(protos.join("events.toml"), events).unwrap();
    for revision in REVISIONS {
        let folder = protos.join("api").join(revision.name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("api.proto"), revision.proto).unwrap();
    }
    root
}

fn run(root: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).current_dir(root.path().join("protos")).output().unwrap()
}

fn import(root: &TempDir, proto: &str, version: &str, date: &str) -> Output {
    let path = root.path().join("new.proto");
    fs::write(&path, proto).unwrap();
    let output =
        run(root, &["import", path.to_str().unwrap(), "--version", version, "--date", date]);
    fs::remove_file(path).unwrap();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns every file below the root, with its content.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

fn newest() -> &'static str {
    REVISIONS.last().unwrap().proto
}

fn newest_name() -> &'static str {
    REVISIONS.last().unwrap().name
}

/// Returns the file with its bindings.
fn newest_snapshot() -> String {
    format!("nri_{}.snap", newest_name().replace(['.', '-'], "_"))
}

#[test]
fn a_new_revision_is_stored_noted_and_generated() {
    let root = repository();
    assert_eq!(run(&root, &["generate"]).status.code(), Some(0));
    let proto = newest().replacen(
        "message Mount {",
        "message Balloon {\n  string name = 1;\n}\n\nmessage Mount {\n  bool balloon = 99;",
        1,
    );
    let output = import(&root, &proto, "v0.99.6", "2026-12-01");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stdout),
        format!(
            "v0.99.6 is a new revision\n\
             \x20 see what it changes: cargo run -p nri-compat -- diff {} v0.99.6\n",
            newest_name()
        )
    );
    let read = |path: &str| fs::read_to_string(root.path().join(path)).unwrap();
    assert_eq!(read("protos/api/v0.99.6/api.proto"), proto);
    assert!(read("protos/src/revisions.rs").contains("\"../api/v0.99.6/api.proto\""));
    let descriptors = fs::read(root.path().join("protos/api/v0.99.6/api.binpb")).unwrap();
    let compiled = nri_schema::compile::text("api.proto", &proto).unwrap();
    assert_eq!(descriptors, compiled.pool.encode_to_vec());
    assert!(read("snapshots/codegen/nri_v0_99_6.snap").contains("pub struct Balloon"));
    let versions = read("protos/versions.toml");
    let added = versions.strip_prefix(nri_protos::VERSIONS_TOML.trim_end()).unwrap();
    assert_eq!(
        added,
        "\n\n[[release]]\nversion = \"v0.99.6\"\nrevision = \"v0.99.6\"\ndate = 2026-12-01\n"
    );
    assert_eq!(run(&root, &["generate", "--check"]).status.code(), Some(0));

    let again = import(&root, &proto, "0.99.6", "2026-12-02");
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(text(&again.stderr), "error: release v0.99.6 of 2026-12-01 is already known\n");
}

/// A reader that demanded the new event of every stub with validation could not read the plugins of
/// today.
#[test]
fn a_new_event_is_not_demanded_of_older_stubs() {
    let root = repository();
    let newest = newest();
    let last = newest.lines().find_map(|line| line.trim().strip_prefix("LAST = "));
    let last: u32 = last.unwrap().trim_end_matches(';').parse().unwrap();
    let proto = newest
        .replacen(
            "  rpc ValidateContainerAdjustment(",
            "  // Event `BALLOON`: a pod gets more memory.\n  \
               rpc Balloon(RunPodSandboxRequest) returns (RunPodSandboxResponse);\n  \
               rpc ValidateContainerAdjustment(",
            1,
        )
        .replacen(
            &format!("LAST = {last};"),
            &format!("BALLOON = {last};\n  LAST = {};", last + 1),
            1,
        );
    let events = root.path().join("protos/events.toml");
    let rows = fs::read_to_string(&events).unwrap();
    let row = "event = [\n    { rpc = \"Balloon\", kind = \"report\" },";
    fs::write(&events, rows.replacen("event = [", row, 1)).unwrap();
    let output = import(&root, &proto, "v0.99.6", "2026-12-01");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let facts = fs::read_to_string(root.path().join("nri-compat/src/facts.rs")).unwrap();
    assert!(facts.contains("\"Balloon\""), "{facts}");
    let known = format!("WITH_VALIDATION: &[&str] = EVENTS.split_at({}usize).0", last - 1);
    assert!(facts.contains(&known), "{facts}");
}

#[test]
fn a_release_that_differs_in_comments_is_only_noted() {
    let root = repository();
    run(&root, &["generate"]);
    let before = files(root.path());
    let proto = newest().replace("// ", "// Other words. ");
    let output = import(&root, &proto, "v0.99.7-0.20261224180000-0123456789ab", "2026-12-24");
    let version = "v0.99.7-0.20261224180000-0123456789ab";
    assert_eq!(
        text(&output.stdout),
        format!(
            "{version} carries revision {}: the proto differs only in comments, if at all\n",
            newest_name()
        )
    );
    let after = files(root.path());
    let changed: Vec<_> =
        after.iter().filter(|(path, content)| before.get(*path) != Some(content)).collect();
    let names: Vec<_> =
        changed.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap()).collect();
    // The embedded tables and those of the bindings of the revision name the release too.
    let expected = ["messages.rs", "embedded.rs", "versions.toml"];
    assert_eq!(names, [&expected[..], &[&newest_snapshot()]].concat());
    assert!(text(changed[2].1).ends_with("date = 2026-12-24\nuntagged = true\n"));
}

#[test]
fn a_rejected_import_changes_nothing() {
    let root = repository();
    let before = files(root.path());
    let other = newest().replace("nri.pkg.api.v1alpha1", "nri.pkg.api.v1");
    let misnamed =
        format!("revision {} is not named after the first release that carries it", newest_name());
    let clash = newest().replace("message Mount {", "message EventMask {}\n\nmessage Mount {");
    for (proto, version, date, code, fact) in [
        (newest(), "v0.12.5", "2026-12-01", 1, "release v0.12.5 of 2026-10-23 is already known"),
        (newest(), "v0.1.0", "2026-12-01", 1, "release v0.1.0 of 2021-04-19 is already known"),
        (newest(), "newest", "2026-12-01", 2, "`newest` is not a version"),
        (newest(), "v0.99.6", "2026-02-30", 2, "`2026-02-30` is not a date"),
        (newest(), "v0.99.6", "2026-12-01T00:00:00Z", 2, "`2026-12-01T00:00:00Z` is not a date"),
        ("syntax = \"proto3\";\nmesage A {}\n", "v0.99.6", "2026-12-01", 1, "new.proto:2:1"),
        (
            &other,
            "v0.99.6",
            "2026-12-01",
            1,
            "package is nri.pkg.api.v1, expected nri.pkg.api.v1alpha1",
        ),
        (
            "syntax = \"proto3\"; package x;",
            "v0.99.6",
            "2026-12-01",
            1,
            "package x is not an NRI protocol",
        ),
        (
            &clash,
            "v0.99.6",
            "2026-12-01",
            1,
            "message EventMask and a generated item are both `EventMask` in Rust",
        ),
        (newest(), "v0.12.1-rc.1", "2026-12-01", 1, &misnamed),
    ] {
        let output = import(&root, proto, version, date);
        assert_eq!(output.status.code(), Some(code), "{version} {date}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(fact), "{fact}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
        assert!(files(root.path()) == before, "{fact}: something was left behind");
    }
}

#[test]
fn a_file_that_cannot_be_written_stops_the_import_whole() {
    let root = repository();
    // There is a folder in place of a generated file.
    fs::create_dir_all(root.path().join("snapshots/codegen").join(newest_snapshot())).unwrap();
    let before = files(root.path());
    let proto = newest().replacen("message Mount {", "message Mount {\n  bool balloon = 99;", 1);
    let output = import(&root, &proto, "v0.99.6", "2026-12-01");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write"), "{}", text(&output.stderr));
    assert!(files(root.path()) == before);
}

#[test]
fn check_lists_what_is_stale_and_writes_nothing() {
    let root = repository();
    run(&root, &["generate"]);
    let path = root.path().join("snapshots/codegen/nri_v0_2_0.snap");
    fs::write(&path, "old").unwrap();
    let checked = run(&root, &["generate", "--check"]);
    assert_eq!(checked.status.code(), Some(100));
    assert_eq!(text(&checked.stdout), "stale snapshots/codegen/nri_v0_2_0.snap\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let generated = run(&root, &["generate", "--root", root.path().to_str().unwrap()]);
    assert_eq!(text(&generated.stdout), "wrote snapshots/codegen/nri_v0_2_0.snap\n");
    assert_eq!(run(&root, &["generate", "--check"]).status.code(), Some(0));
}

#[test]
fn a_table_entry_that_matches_nothing_stops_generating() {
    let root = repository();
    let path = root.path().join("protos/deprecations.toml");
    let table = nri_protos::DEPRECATIONS_TOML
        .replace("START_CONTAINER = \"StartContainer\"", "START_CONTAINERS = \"StartContainer\"");
    fs::write(&path, table).unwrap();
    let output = run(&root, &["generate"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stderr);
    assert!(
        shown.contains(
            "deprecation `state-change` names event `START_CONTAINERS`, which does not exist"
        ),
        "{shown}"
    );
    assert!(
        shown.contains("--> deprecations.toml:")
            && shown.contains("near matches: START_CONTAINER, "),
        "{shown}"
    );
    assert!(!root.path().join("snapshots").exists());
}

#[test]
fn usage_errors_exit_with_two_and_help_with_zero() {
    let root = repository();
    for arguments in [
        &[][..],
        &["generat"],
        &["generate", "--chek"],
        &["import", "a.proto"],
        &["import", "--version", "v1.0.0", "--date", "2026-12-01"],
    ] {
        let output = run(&root, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("Usage: "), "{}", text(&output.stderr));
    }
    let help = run(&root, &["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("Exit codes"));
    let nowhere = run(&root, &["generate", "--root", "/nonexistent"]);
    assert_eq!(nowhere.status.code(), Some(1));
}

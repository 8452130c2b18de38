//! Tables from a folder instead of the built-in ones, for every command.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn nri_compat(args: &[&str], variable: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nri-compat"));
    command.args(args).env_remove("NRI_COMPAT_DATA");
    if let Some(folder) = variable {
        command.env("NRI_COMPAT_DATA", folder);
    }
    command.output().expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Returns the built-in tables with one more release of containerd.
fn tables() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tables = nri_schema::history::Tables::embedded();
    for (path, text) in tables.files(folder.path()) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    let path = folder.path().join("runtimes.toml");
    let text = fs::read_to_string(&path).expect("it is there");
    let known = text
        .lines()
        .rfind(|line| line.contains("\"v2.2."))
        .expect("containerd 2.2 is known")
        .to_owned();
    let patch = known.split('"').nth(1).expect("the release stands first");
    let added = known.replace(patch, "v2.2.99");
    fs::write(&path, text.replace(&known, &format!("{known}\n{added}"))).expect("written");
    folder
}

#[test]
fn a_folder_replaces_the_tables_of_every_command() {
    let folder = tables();
    let path = folder.path().to_str().expect("UTF-8");
    let spec = "containerd@2.2.99";
    assert_eq!(nri_compat(&["runtimes", spec], None).status.code(), Some(1));
    for output in [
        nri_compat(&["runtimes", spec, "--data", path], None),
        nri_compat(&["--data", path, "runtimes", spec], None),
        nri_compat(&["runtimes", spec], Some(folder.path())),
        nri_compat(&["diff", spec, "latest", "--fail-on", "never"], Some(folder.path())),
        nri_compat(&["check", path, "--target", spec], Some(folder.path())),
    ] {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn tables_that_do_not_fit_together_are_an_error() {
    let folder = tables();
    let path = folder.path().join("runtimes.toml");
    let text = fs::read_to_string(&path).expect("it is there");
    fs::write(&path, text.replace("v0.11.0", "v0.77.0")).expect("written");
    let output = nri_compat(&["versions"], Some(folder.path()));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("v0.77.0, which is in no table"));
    let missing = nri_compat(&["versions", "--data", "/nonexistent"], None);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn the_age_names_date_and_folder() {
    let folder = tables();
    let built_in = stdout(&nri_compat(&["versions", "--age"], None));
    assert!(built_in.starts_with("data of 20") && built_in.ends_with("(built in)\n"), "{built_in}");
    let replaced = stdout(&nri_compat(&["versions", "--age"], Some(folder.path())));
    assert!(replaced.contains(folder.path().to_str().expect("UTF-8")), "{replaced}");
}

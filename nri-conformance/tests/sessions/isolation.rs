//! The environment of a plugin under test.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nri_conformance::subject::{Executable, Instance, Subject};
use tempfile::TempDir;

/// A generous time limit, for busy machines.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writes a plugin that is a shell script.
fn script(folder: &TempDir, body: &str) -> PathBuf {
    let path = folder.path().join("10-script");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

/// Runs a plugin to its end and returns what it printed.
async fn printed(executable: Executable) -> Vec<String> {
    let mut instance: Instance = Subject::launched(executable).start().await.unwrap();
    let process = instance.process.as_mut().unwrap();
    process.ended(PATIENCE).await.expect("it ends");
    // The output may arrive after the end of the process.
    assert!(process.output_ended(PATIENCE).await, "it is read to its end");
    process.output().last_lines()
}

#[tokio::test]
async fn the_dry_root_is_passed_to_the_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let body = "echo \"$NRI_DRY_ROOT $1 $NRI_PLUGIN_IDX-$NRI_PLUGIN_NAME\"";
    let mut executable = Executable::new(script(&folder, body)).args(["--root={dry-root}"]);
    executable.dry_root = Some("/srv/dry".into());
    assert_eq!(printed(executable).await, ["/srv/dry --root=/srv/dry 10-script"]);
}

#[tokio::test]
async fn a_plugin_has_its_own_folder_and_a_clean_environment() {
    let folder = tempfile::tempdir().unwrap();
    let executable = Executable::new(script(&folder, "pwd; echo \"home=$HOME\""));
    let lines = printed(executable).await;
    assert_ne!(Path::new(&lines[0]), std::env::current_dir().unwrap());
    assert!(!Path::new(&lines[0]).exists(), "it is deleted after the plugin: {lines:?}");
    assert_eq!(lines[1], "home=");
}

/// Returns a plugin that shows its namespaces.
fn isolated(folder: &TempDir) -> Executable {
    let body = "readlink /proc/self/ns/mnt; readlink /proc/self/ns/user; echo done";
    let mut executable = Executable::new(script(folder, body));
    executable.isolate = true;
    executable
}

#[tokio::test]
async fn an_isolated_plugin_has_its_own_namespaces() {
    let folder = tempfile::tempdir().unwrap();
    let lines = printed(isolated(&folder)).await;
    let own = |namespace| std::fs::read_link(format!("/proc/self/ns/{namespace}")).unwrap();
    let [mount, user, done] = lines.as_slice() else {
        panic!("this test needs user namespaces: {lines:?}");
    };
    assert_ne!(Path::new(mount), own("mnt"));
    assert_ne!(Path::new(user), own("user"));
    assert_eq!(done, "done");
}

#[tokio::test]
async fn a_plugin_that_cannot_be_isolated_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    // A kernel without user namespaces, for this plugin only.
    let unshare = folder.path().join("unshare");
    let refusal = "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1";
    std::fs::write(&unshare, format!("#!/bin/sh\n{refusal}\n")).unwrap();
    std::fs::set_permissions(&unshare, Permissions::from_mode(0o755)).unwrap();
    let mut executable = isolated(&folder);
    executable.env = vec![("PATH".into(), folder.path().into())];
    assert_refused(&printed(executable).await);
}

fn assert_refused(lines: &[String]) {
    assert!(lines[0].starts_with("unshare: "), "{lines:?}");
    assert!(!lines.iter().any(|line| line == "done"), "{lines:?}");
}

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
    assert!(
        process.output_ended(PATIENCE).await,
        "it is read to its end"
    );
    process.output().last_lines()
}

#[tokio::test]
async fn the_dry_root_is_passed_to_the_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let executable = Executable {
        path: script(
            &folder,
            "echo \"$NRI_DRY_ROOT $1 $NRI_PLUGIN_IDX-$NRI_PLUGIN_NAME\"",
        ),
        args: vec!["--root={dry-root}".into()],
        dry_root: Some("/srv/dry".into()),
        ..Executable::default()
    };
    assert_eq!(
        printed(executable).await,
        ["/srv/dry --root=/srv/dry 10-script"]
    );
}

#[tokio::test]
async fn a_plugin_has_its_own_folder_and_a_clean_environment() {
    let folder = tempfile::tempdir().unwrap();
    let executable = Executable {
        path: script(&folder, "pwd; echo \"home=$HOME\""),
        ..Executable::default()
    };
    let lines = printed(executable).await;
    assert_ne!(Path::new(&lines[0]), std::env::current_dir().unwrap());
    assert!(
        !Path::new(&lines[0]).exists() || lines[0].starts_with("/tmp"),
        "{lines:?}"
    );
    assert_eq!(lines[1], "home=");
}

#[tokio::test]
async fn an_isolated_plugin_has_its_own_namespaces_or_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let body = "readlink /proc/self/ns/mnt; readlink /proc/self/ns/user; echo done";
    let path = script(&folder, body);
    let isolated = Executable {
        path,
        isolate: true,
        ..Executable::default()
    };
    let lines = printed(isolated.clone()).await;
    // If the kernel does not allow user namespaces, the plugin fails to start with an error.
    let refused = lines.iter().any(|line| line.contains("unshare"));
    assert_ne!(
        refused,
        lines.iter().any(|line| line == "done"),
        "{lines:?}"
    );
    let own = |namespace| std::fs::read_link(format!("/proc/self/ns/{namespace}")).unwrap();
    assert!(refused || Path::new(&lines[0]) != own("mnt"), "{lines:?}");
    assert!(refused || Path::new(&lines[1]) != own("user"), "{lines:?}");
}

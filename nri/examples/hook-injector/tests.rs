use std::fs;

use nri::adjust::HookStage;
use nri::api::{Hook, Mount};
use nri_testing::{self as testing, ContainerFixture, EventError, pod};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// A folder for hooks, in which `/bin/sh` is the hook of a file.
fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, file) in files {
        fs::write(folder.path().join(name), file.to_string()).unwrap();
    }
    folder
}

fn file(when: Value, stages: &[&str]) -> Value {
    json!({ "version": "1.0.0", "hook": { "path": "/bin/sh" }, "when": when, "stages": stages })
}

/// Returns the hooks of a container.
async fn hooks(folders: &[&TempDir], app: ContainerFixture) -> Result<Hooks, EventError> {
    let paths = folders.iter().map(|folder| folder.path().to_owned()).collect();
    let plugin = HookInjector::new(paths, true).unwrap();
    let mut runtime = testing::Runtime::new().start(plugin).await.unwrap();
    let created = runtime.create_in_pod(app).await?;
    Ok(created.adjustment.hooks.unwrap_or_default())
}

fn app() -> ContainerFixture {
    pod("web").annotation("example.com/demo", "yes").container("app").args(["/bin/busybox", "ls"])
}

#[tokio::test]
async fn conditions_select_containers() {
    let mount = Mount::bind("/srv", "/srv");
    for (when, expected) in [
        (json!({ "always": true }), true),
        (json!({ "always": false }), false),
        (json!({}), false),
        (json!({ "annotations": { "^example\\.com/": "^y" } }), true),
        (json!({ "annotations": { "^example\\.com/": "^n" } }), false),
        (json!({ "annotations": { "demo": "yes", "other": "" } }), false),
        (json!({ "commands": ["^/sbin/", "busybox$"] }), true),
        (json!({ "commands": ["^ls$"] }), false),
        (json!({ "always": false, "commands": ["busybox"] }), false),
        (json!({ "hasBindMounts": true }), true),
        (json!({ "hasBindMounts": false }), false),
        (json!({ "hasBindMounts": true, "annotations": { "demo": "no" } }), false),
    ] {
        let hooks_of = folder(&[("a.json", file(when.clone(), &["poststop"]))]);
        let hooks = hooks(&[&hooks_of], app().mount(mount.clone())).await.unwrap();
        assert_eq!(hooks.iter().count() == 1, expected, "{when}");
    }
}

#[tokio::test]
async fn hooks_keep_their_arguments_and_are_sorted_by_file() {
    let mut first = file(json!({ "always": true }), &["prestart", "poststop"]);
    first["hook"] =
        json!({ "path": "/bin/sh", "args": ["sh", "-c", "true"], "env": ["A=b"], "timeout": 3 });
    let second = file(json!({ "always": true }), &["createRuntime"]);
    let folder = folder(&[("B.json", second), ("a.json", first), ("c.txt", json!("not read"))]);
    let hooks = hooks(&[&folder], app()).await.unwrap();
    let shell = Hook::new("/bin/sh").arg("-c").arg("true").env("A", "b").timeout_seconds(3);
    let full = Hook { args: vec!["sh".into(), "-c".into(), "true".into()], ..shell };
    let plain = Hook { args: vec![], ..Hook::new("/bin/sh") };
    assert_eq!(hooks.stage(HookStage::CreateRuntime), [full.clone(), plain]);
    assert_eq!(hooks.stage(HookStage::Poststop), [full]);
}

#[tokio::test]
async fn a_later_folder_replaces_files_of_an_earlier_one() {
    let system = folder(&[("a.json", file(json!({ "always": true }), &["poststop"]))]);
    let own = folder(&[("a.json", file(json!({ "always": false }), &["poststop"]))]);
    let hooks = hooks(&[&system, &own], app()).await.unwrap();
    assert_eq!(hooks, Hooks::default());
}

#[tokio::test]
async fn files_of_the_first_version_need_one_condition() {
    let old = json!({
        "hook": "/bin/sh", "arguments": ["-c"], "stage": ["prestart"], "cmd": ["nothing"], "annotation": ["^no$", "^yes$"],
    });
    let hooks = hooks(&[&folder(&[("a.json", old)])], app()).await.unwrap();
    assert_eq!(hooks.stage(HookStage::CreateRuntime)[0].args, ["/bin/sh", "-c"]);
}

#[test]
fn files_with_mistakes_keep_the_plugin_from_starting() {
    let mut absent = file(json!({ "always": true }), &[]);
    absent["hook"]["path"] = json!("/absent");
    for (file, reason) in [
        (absent, "\"/absent\" does not exist"),
        (file(json!({ "commands": ["("] }), &[]), "regex parse error"),
        (file(json!({ "always": true }), &["start"]), "unknown stage \"start\""),
        (json!({ "version": "2.0.0" }), "unknown version \"2.0.0\""),
        (json!({ "version": "1.0.0", "hook": {} }), "missing field `stages`"),
    ] {
        let folder = folder(&[("a.json", file)]);
        let plugin = HookInjector::new(vec![folder.path().to_owned()], false);
        let error = plugin.err().unwrap().to_string();
        assert!(error.contains("a.json") && error.contains(reason), "{error}");
    }
}

#[tokio::test]
async fn changes_apply_to_the_next_container_unless_disabled() {
    let folder = folder(&[]);
    for (watch, expected) in [(true, 1), (false, 0)] {
        let plugin = HookInjector::new(vec![folder.path().to_owned()], watch).unwrap();
        let mut runtime = testing::Runtime::new().start(plugin).await.unwrap();
        let good = file(json!({ "always": true }), &["poststop"]);
        fs::write(folder.path().join("a.json"), good.to_string()).unwrap();
        fs::write(folder.path().join("b.json"), "{").unwrap();
        let created = runtime.create_in_pod(app()).await.unwrap();
        let hooks = created.adjustment.hooks.unwrap_or_default();
        assert_eq!(hooks.iter().count(), expected);
        fs::remove_file(folder.path().join("a.json")).unwrap();
        fs::remove_file(folder.path().join("b.json")).unwrap();
    }
}

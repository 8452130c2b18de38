//! The hooks that `hook-injector` adds, compared with those of the library that CRI-O and Podman
//! use.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nri_tests::peers;
use serde_json::{Value, json};

use super::{create, external};
use crate::interop::started;

/// Conditions of hooks, each with the version of the file.
fn conditions() -> Vec<(&'static str, Value)> {
    let current = [
        json!({ "always": true }),
        json!({ "always": false }),
        json!({}),
        json!({ "hasBindMounts": true }),
        json!({ "hasBindMounts": false }),
        json!({ "annotations": { "^a$": "^1$" } }),
        json!({ "annotations": { "a": "2|3", "b": "." } }),
        json!({ "annotations": { ".*": "" }, "hasBindMounts": true }),
        json!({ "commands": ["^/bin/", "sh$"] }),
        json!({ "commands": ["app"], "always": true, "annotations": { "b": "1" } }),
    ];
    let old = [
        json!({ "cmd": ["sh$"] }),
        json!({ "cmds": ["nothing"], "annotation": ["^2$", "^3$"] }),
        json!({ "hasbindmounts": true, "annotations": ["1"], "arguments": ["-c"] }),
        json!({ "arguments": [] }),
    ];
    current
        .into_iter()
        .map(|when| ("1.0.0", when))
        .chain(old.into_iter().map(|when| ("0.1.0", when)))
        .collect()
}

/// Writes a file for each condition, with stages that vary.
fn hook_files(folder: &Path) {
    let stages = [
        json!(["prestart"]),
        json!(["createRuntime", "poststop"]),
        json!(["createContainer", "startContainer", "poststart"]),
    ];
    for (at, (version, when)) in conditions().into_iter().enumerate() {
        let mut file = json!({ "version": version, "stages": stages[at % 3] });
        if version == "1.0.0" {
            file["hook"] = json!({ "path": "/bin/sh", "args": [at.to_string()], "env": ["A=b"], "timeout": at + 1 });
            file["when"] = when;
        } else {
            file["hook"] = json!("/bin/sh");
            for (key, value) in when.as_object().into_iter().flatten() {
                file[key] = value.clone();
            }
        }
        // The order of names without regard to case differs from that of their bytes.
        let name = if at % 2 == 0 { "hook" } else { "HOOK" };
        let path = folder.join(format!("{name}-{at:02}.json"));
        fs::write(path, file.to_string()).expect("file can be written");
    }
}

/// Containers that differ in what conditions look at.
fn containers() -> Vec<Value> {
    let mut containers = Vec::new();
    for args in [json!(["/bin/app", "sh"]), json!(["sh"]), json!(["/usr/x"])] {
        for annotations in [
            json!({}),
            json!({ "a": "1" }),
            json!({ "a": "2", "b": "1" }),
            json!({ "aa": "13", "c": "3" }),
        ] {
            for has_mounts in [false, true] {
                let container =
                    json!({ "args": args, "annotations": annotations, "hasMounts": has_mounts });
                containers.push(container);
            }
        }
    }
    containers
}

/// Returns the hooks that the library in Go gives each container.
fn hooks_in_go(folder: &Path, containers: &[Value]) -> Vec<Value> {
    let mut go = Command::new(peers::hooks())
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the peer starts");
    let lines = containers.iter().fold(String::new(), |mut lines, it| {
        let _ = writeln!(lines, "{it}");
        lines
    });
    let mut input = go.stdin.take().expect("standard input is piped");
    input.write_all(lines.as_bytes()).expect("the peer reads");
    drop(input);
    let output = go.wait_with_output().expect("the peer ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("output is text");
    text.lines().map(|line| serde_json::from_str(line).expect("line is JSON")).collect()
}

/// Returns hooks of an adjustment as in an OCI configuration.
fn as_oci(hooks: &Value) -> Value {
    let stages = [
        ("create_runtime", "createRuntime"),
        ("create_container", "createContainer"),
        ("start_container", "startContainer"),
        ("poststart", "poststart"),
        ("poststop", "poststop"),
        ("prestart", "prestart"),
    ];
    let mut oci = json!({});
    for (proto, name) in stages {
        let mut hooks = hooks[proto].clone();
        for hook in hooks.as_array_mut().into_iter().flatten() {
            if let Some(text) = hook["timeout"]["value"].as_str() {
                hook["timeout"] = json!(text.parse::<u64>().expect("timeout is a number"));
            }
            hook.as_object_mut().expect("hook is an object").retain(|_, value| !value.is_null());
        }
        if !hooks.is_null() {
            oci[name] = hooks;
        }
    }
    if oci == json!({}) { Value::Null } else { oci }
}

#[test]
fn hooks_are_those_of_the_library_in_go() {
    let folder = tempfile::tempdir().expect("temporary folder");
    hook_files(folder.path());
    let containers = containers();
    let in_go = hooks_in_go(folder.path(), &containers);
    assert_eq!(in_go.len(), containers.len());
    let mut runtime = started("v0.12.5");
    let path = folder.path().to_str().expect("path is text");
    let _plugin = external(&mut runtime, "10", "hook-injector", &["--hooks", path]);
    for (container, expected) in containers.iter().zip(in_go) {
        let mount = json!({ "destination": "/srv", "source": "/srv", "type": "bind" });
        let mounts: Vec<_> =
            (container["hasMounts"] == true).then_some(mount).into_iter().collect();
        let fields = json!({ "args": container["args"], "mounts": mounts });
        let adjust = create(&mut runtime, container["annotations"].clone(), fields);
        let adjust = adjust.expect("is created");
        assert_eq!(as_oci(&adjust["hooks"]), expected, "{container}");
    }
}

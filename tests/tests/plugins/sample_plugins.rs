//! The sample plugins of `nri` under Go runtimes, next to the Go code that they correspond to,
//! where a published module has it: the default validator, the library that decides about OCI
//! hooks, and plugins of NRI v0.1.0.

mod hooks;

use std::fs;
use std::path::Path;

use crate::interop::{launched, started};
use nri_tests::examples::example;
use nri_tests::peers;
use nri_tests::plugin::Plugin;
use nri_tests::runtime::Runtime;
use serde_json::{Value, json};

/// The releases whose adaptations know every field that the plugins set.
const RELEASES: [&str; 2] = ["v0.11.0", "v0.12.5"];

/// Starts a sample plugin as an external one.
fn external(runtime: &mut Runtime, index: &str, name: &str, flags: &[&str]) -> Plugin {
    let full_name = format!("{index}-{name}");
    let plugin = Plugin::external(&example(name), &runtime.socket(), &full_name, flags);
    runtime.wait_for_plugin(&full_name);
    plugin
}

/// Creates a container of the pod `web` with this part of a request. Returns the adjustment, or the
/// error.
fn create(runtime: &mut Runtime, annotations: Value, container: Value) -> Result<Value, String> {
    let mut request = json!({
        "pod": { "id": "p0", "name": "web", "namespace": "default", "annotations": annotations },
        "container": { "id": "c0", "pod_sandbox_id": "p0", "name": "app", "args": ["/bin/app"] },
    });
    for (key, value) in container.as_object().into_iter().flatten() {
        request["container"][key] = value.clone();
    }
    let event = json!({ "event": "CreateContainer", "request": request });
    let mut answer = runtime.command("fire", event)?;
    Ok(answer["response"]["adjust"].take())
}

/// A plugin with flags, annotations of the pod, and the parts of the adjustment that they lead to,
/// by path.
type Row = (&'static str, Vec<String>, Value, Vec<(&'static str, Value)>);

fn rows(mounts: &Path) -> Vec<Row> {
    let mounts = format!("--host-mount-file={}", mounts.display());
    vec![
        (
            "ulimit-adjuster",
            vec![],
            json!({ "ulimits.noderesource.dev/container.app": "[{type: nofile, soft: 1, hard: 2}]" }),
            vec![("/rlimits", json!([{ "type": "RLIMIT_NOFILE", "soft": "1", "hard": "2" }]))],
        ),
        (
            "rdt",
            vec![],
            json!({
                "closid.rdt.noderesource.dev/container.app": "gold",
                "schemata.rdt.noderesource.dev/container.app": "L3:0=f,MB:0=9",
                "enablemonitoring.rdt.noderesource.dev/container.app": "true",
            }),
            vec![
                ("/linux/rdt/clos_id/value", json!("gold")),
                ("/linux/rdt/schemata/value", json!(["L3:0=f", "MB:0=9"])),
                ("/linux/rdt/enable_monitoring/value", json!(true)),
            ],
        ),
        (
            "device-injector",
            vec![],
            json!({
                "devices.nri.io/container.app": "[{path: /dev/fuse, type: c, major: 10, minor: 229}]",
                "devices.noderesource.dev": "[{path: /dev/other, type: c}]",
                "io-priority.noderesource.dev/pod": "{class: IOPRIO_CLASS_IDLE, priority: 1}",
            }),
            vec![
                ("/linux/devices/0/path", json!("/dev/fuse")),
                ("/linux/devices/1", Value::Null),
                ("/linux/io_priority/class", json!("IOPRIO_CLASS_IDLE")),
            ],
        ),
        (
            "writable-cgroups",
            vec![mounts],
            json!({ "cgroups.noderesource.dev/writable": "true" }),
            vec![
                ("/mounts/0/destination", json!("/sys/fs/cgroup")),
                ("/mounts/0/options", json!(["nosuid", "rw"])),
            ],
        ),
        (
            "logger",
            vec!["--quiet".to_owned(), "--add-env=LOGGED".to_owned()],
            json!({}),
            vec![("/env/0/key", json!("LOGGED"))],
        ),
    ]
}

#[test]
fn go_runtimes_get_the_adjustments() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mounts = folder.path().join("mountinfo");
    let line = "30 24 0:27 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    fs::write(&mounts, line).expect("file can be written");
    let cgroups = json!({ "mounts": [
        { "destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": ["nosuid", "ro"] },
    ]});
    for release in RELEASES {
        for (name, flags, annotations, expected) in rows(&mounts) {
            let mut runtime = started(release);
            let flags: Vec<_> = flags.iter().map(String::as_str).collect();
            let _plugin = external(&mut runtime, "10", name, &flags);
            let adjust = create(&mut runtime, annotations, cgroups.clone()).expect("is created");
            for (path, value) in expected {
                let found = adjust.pointer(path).unwrap_or(&Value::Null);
                assert_eq!(*found, value, "{release} {name} {path}: {adjust}");
            }
        }
    }
}

#[test]
fn pods_are_logged_and_refused_devices_of_the_network() {
    for release in RELEASES {
        let mut runtime = started(release);
        let mut logger = external(&mut runtime, "10", "network-logger", &[]);
        let _injector = external(&mut runtime, "20", "network-device-injector", &[]);
        let pod = json!({
            "id": "p0", "name": "web", "namespace": "default", "ips": ["10.0.0.2"],
            "annotations": { "netdevices.noderesource.dev/pod": "[{name: absent0}]" },
            "linux": { "namespaces": [{ "type": "network", "path": "/proc/self/ns/net" }] },
        });
        let event = json!({ "event": "RunPodSandbox", "request": { "pod": pod } });
        let error = runtime.command("fire", event).expect_err("is refused");
        assert!(error.contains("cannot inject network device absent0"), "{release}: {error}");
        logger.terminate();
        assert_eq!(logger.wait(), Some(0), "{release}");
        let line = "started pod default/web: namespace=/proc/self/ns/net ips=[10.0.0.2]";
        assert!(logger.aside().contains(line), "{release}");
    }
}

#[test]
fn the_differ_shows_what_another_plugin_adds() {
    for release in RELEASES {
        let log = tempfile::NamedTempFile::new().expect("temporary file");
        let mut runtime = started(release);
        let path = log.path().to_str().expect("path is text");
        let _differ = external(&mut runtime, "00", "differ", &["--log-file", path]);
        runtime.wait_for_plugin("99-differ");
        let _injector = external(&mut runtime, "10", "device-injector", &[]);
        let annotations =
            json!({ "mounts.noderesource.dev": "[{source: /srv, destination: /srv, type: bind}]" });
        create(&mut runtime, annotations, json!({})).expect("is created");
        let text = fs::read_to_string(log.path()).expect("the differ writes its file");
        assert!(text.contains("[99] CreateContainer: pod: <no changes>"), "{release}: {text}");
        let added = "[99] CreateContainer: container: create /mounts";
        assert!(text.contains(added), "{release}: {text}");
    }
}

/// Writes a hook file that always applies.
fn always(folder: &Path) {
    let file = json!({
        "version": "1.0.0", "hook": { "path": "/bin/sh" }, "when": { "always": true }, "stages": ["poststop"],
    });
    fs::write(folder.join("always.json"), file.to_string()).expect("file can be written");
}

#[test]
fn the_default_validator_decides_as_the_one_in_go() {
    let (rust, go) = (example("default-validator"), peers::samples().join("validator"));
    let folder = tempfile::tempdir().expect("temporary folder");
    always(folder.path());
    let hooks = folder.path().to_str().expect("path is text");
    for config in [
        "{enable: true}",
        "{enable: true, rejectOCIHookAdjustment: true}",
        "{enable: true, rejectNamespaceAdjustment: true, rejectSysctlAdjustment: true, rejectCustomSeccompAdjustment: true}",
        "{enable: true, requiredPlugins: [hook-injector]}",
        "{enable: true, requiredPlugins: [topology], tolerateMissingPluginsAnnotation: tolerate}",
    ] {
        assert_eq!(decisions(&rust, config, hooks), decisions(&go, config, hooks), "{config}");
    }
}

/// Returns what a validator lets containers have: their hooks, or the plugins that its error
/// mentions. Their annotations differ.
fn decisions(validator: &Path, config: &str, hooks: &str) -> [Result<Value, Vec<&'static str>>; 7] {
    let mut runtime = launched("v0.12.5", validator, config);
    let _injector = external(&mut runtime, "20", "hook-injector", &["--hooks", hooks]);
    [
        json!({}),
        json!({ "tolerate": "true" }),
        json!({ "tolerate/container.app": "0", "tolerate": "1" }),
        json!({ "tolerate": "perhaps" }),
        json!({ "required-plugins.noderesource.dev/pod": "[hook-injector]" }),
        json!({ "required-plugins.noderesource.dev/container.app": "[numa, topology]" }),
        json!({ "required-plugins.noderesource.dev": "numa: 1" }),
    ]
    .map(|annotations| {
        create(&mut runtime, annotations, json!({}))
            .map(|adjust| adjust["hooks"].clone())
            .map_err(|error| mentioned(&error))
    })
}

/// Returns the plugins that an error mentions, whose wording is up to each validator.
fn mentioned(error: &str) -> Vec<&'static str> {
    let names = ["20-hook-injector", "topology", "numa"];
    names.into_iter().filter(|name| error.contains(name)).collect()
}

#[test]
fn a_plugin_of_the_first_release_in_go_understands_the_adapter() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (config, log) = (folder.path().join("conf.json"), folder.path().join("log"));
    let text = json!({ "version": "0.1", "plugins": [{ "type": "v010", "conf": { "log": log } }] });
    fs::write(&config, text.to_string()).expect("file can be written");
    let mut runtime = started("v0.12.5");
    let flags = [
        format!("--config={}", config.display()),
        format!("--plugins={}", peers::samples().display()),
    ];
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let _adapter = external(&mut runtime, "10", "v010-adapter", &flags);
    let pod = json!({ "id": "p0", "name": "web", "namespace": "default", "labels": { "app": "shop" }, "pid": 7 });
    let container = json!({
        "id": "c0", "pod_sandbox_id": "p0", "name": "app", "pid": 8, "annotations": { "a": "b" },
        "linux": {
            "cgroups_path": "/pods/app",
            "namespaces": [{ "type": "pid", "path": "/proc/8/ns/pid" }],
            "resources": { "memory": { "limit": { "value": "64" } }, "pids": { "limit": "9" } },
        },
    });
    for event in ["RunPodSandbox", "StartContainer", "StopContainer", "StopPodSandbox"] {
        let mut request = json!({ "pod": pod });
        if event.ends_with("Container") {
            request["container"] = container.clone();
        }
        let event = json!({ "event": event, "request": request });
        runtime.command("fire", event).expect("is handled");
    }
    let written = fs::read_to_string(&log).expect("the plugin writes its file");
    let requests: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).expect("line is JSON")).collect();
    let started = json!({
        "conf": { "log": log }, "version": "0.1", "state": "create", "id": "c0", "sandboxID": "p0", "pid": 8,
        "spec": {
            "resources": { "memory": { "limit": 64 }, "cpu": {}, "pids": { "limit": 9 } },
            "namespaces": { "pid": "/proc/8/ns/pid" }, "cgroupsPath": "/pods/app", "annotations": { "a": "b" },
        },
        "labels": { "app": "shop" },
    });
    assert_eq!(requests[1], started);
    let calls: Vec<_> = requests.iter().map(|it| format!("{} {}", it["state"], it["id"])).collect();
    let expected = [r#""create" "p0""#, r#""create" "c0""#, r#""delete" "c0""#, r#""delete" "p0""#];
    assert_eq!(calls, expected);
    let failing = json!({ "id": "p1", "name": "bad", "namespace": "default", "annotations": { "fail": "no quota" } });
    let event = json!({ "event": "RunPodSandbox", "request": { "pod": failing } });
    let error = runtime.command("fire", event).expect_err("is refused");
    assert!(error.contains("v010: no quota"), "{error}");
}

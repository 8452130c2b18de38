//! The network-device-injector with devices of the kernel, in network namespaces made for the test.
//! Needs root and `ip`.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::{fs, process};

use nri_tests::examples::example;
use nri_tests::peers::run;
use nri_tests::plugin::Plugin;
use nri_tests::runtime::Runtime;
use serde_json::{Value, json};

/// A network namespace, which is removed in the end.
struct Namespace(String);

impl Namespace {
    fn new(name: &str) -> Self {
        let name = format!("nri-test-{name}-{}", process::id());
        run(Command::new("ip").args(["netns", "add", &name]));
        Namespace(name)
    }

    fn path(&self) -> String {
        format!("/var/run/netns/{}", self.0)
    }

    /// Runs `ip` in the namespace.
    fn ip(&self, arguments: &[&str]) -> String {
        run(Command::new("ip").args(["-n", &self.0]).args(arguments))
    }

    /// Returns a device with its addresses, as `ip` describes it.
    fn device(&self, name: &str) -> Option<Value> {
        let printed: Value =
            serde_json::from_str(&self.ip(&["-j", "addr"])).expect("ip prints JSON");
        let mut devices = printed.as_array().into_iter().flatten();
        devices.find(|device| device["ifname"] == name).cloned()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // A namespace that stays behind does no harm.
        let _ = Command::new("ip").args(["netns", "del", &self.0]).status();
    }
}

/// Relays an event of a pod that requests devices.
fn fire(
    runtime: &mut Runtime,
    event: &str,
    namespace: &Namespace,
    devices: &str,
) -> Result<Value, String> {
    let pod = json!({
        "id": "p0", "name": "web", "namespace": "default",
        "annotations": { "netdevices.noderesource.dev/pod": devices },
        "linux": { "namespaces": [{ "type": "network", "path": namespace.path() }] },
    });
    let request = json!({ "event": event, "request": { "pod": pod } });
    runtime.command("fire", request)
}

#[test]
fn devices_move_into_the_pod_and_back() {
    let (host, pod) = (Namespace::new("host"), Namespace::new("pod"));
    host.ip(&["link", "add", "dev0", "type", "veth", "peer", "name", "dev1"]);
    // The plugin runs in the namespace that plays the host's.
    let folder = tempfile::tempdir().expect("temporary folder");
    let wrapper = folder.path().join("plugin");
    let plugin = example("network-device-injector");
    let script =
        format!("#!/bin/sh\nexec nsenter --net={} {} \"$@\"\n", host.path(), plugin.display());
    fs::write(&wrapper, script).expect("file can be written");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("mode can be set");
    let mut runtime = Runtime::started("v0.12.5");
    let _plugin = Plugin::external(&wrapper, &runtime.socket(), "10-injector", &[]);
    runtime.wait_for_plugin("10-injector");

    let devices =
        "[{name: dev0, new_name: eth1, address: 192.0.2.2, prefix: 24, mtu: 1400}, {name: dev1}]";
    fire(&mut runtime, "RunPodSandbox", &pod, devices).expect("is injected");
    let injected = pod.device("eth1").expect("is in the pod");
    assert_eq!(injected["mtu"], 1400);
    assert_eq!(injected["addr_info"][0]["local"], "192.0.2.2");
    assert_eq!(injected["addr_info"][0]["prefixlen"], 24);
    let flags = injected["flags"].as_array().expect("device has flags");
    assert!(flags.contains(&json!("UP")), "{injected}");
    assert!(pod.device("dev1").is_some() && host.device("dev0").is_none());

    fire(&mut runtime, "StopPodSandbox", &pod, devices).expect("is released");
    let released = host.device("dev0").expect("is on the host");
    assert_eq!(released["operstate"], "DOWN");
    assert!(host.device("dev1").is_some() && pod.device("eth1").is_none());

    // No device stays in a pod that fails, whether the move or the configuration does.
    for (broken, reason) in
        [("{name: dev1, mtu: 9}", "Invalid argument"), ("{name: absent}", "No such device")]
    {
        let refused = format!("[{{name: dev0}}, {broken}]");
        let error = fire(&mut runtime, "RunPodSandbox", &pod, &refused).expect_err("is refused");
        assert!(error.contains(reason), "{error}");
        assert!(host.device("dev0").is_some() && host.device("dev1").is_some());
    }
}

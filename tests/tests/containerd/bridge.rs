//! `nri-bridge` in the plugin folder of a real containerd, beside the same plugins without it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use nri_tests::containerd;
use nri_tests::node::Launched;
use nri_tests::peers;
use serde_json::Value;

/// The events that old plugins only know as StateChange.
const STATE_CHANGES: [&str; 8] = [
    "RunPodSandbox",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "PostUpdateContainer",
    "RemoveContainer",
    "StopPodSandbox",
    "RemovePodSandbox",
];

/// Writes a script that runs a plugin with its output in a file by its index, because runtimes
/// discard the output.
fn script(folder: &Path, nri: &str) -> PathBuf {
    let path = folder.join(nri);
    let (plugin, events) = (peers::plugin(nri), folder.join("$NRI_PLUGIN_IDX"));
    let text = format!("#!/bin/sh\nexec '{}' > \"{}\"\n", plugin.display(), events.display());
    fs::write(&path, text).expect("temporary folder is writable");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("it is ours");
    path
}

/// Returns the events that the plugin with this index saw.
fn events(folder: &Path, index: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(index)).expect("the plugin ran");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.map(|line| line["event"].as_str().expect("an event").to_owned()).collect()
}

#[test]
fn old_plugins_behind_the_bridge_see_the_same_and_are_not_deprecated() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let bridge = PathBuf::from(env!("CARGO_BIN_EXE_bridge"));
    let (older, old) = (script(folder.path(), "v0.8.0"), script(folder.path(), "v0.11.0"));
    let plugins = [
        ("10-direct", &older),
        ("11-older", &bridge),
        ("11-older.bridge/11-older", &older),
        ("20-direct", &old),
        ("21-old", &bridge),
        ("21-old.bridge/21-old", &old),
    ]
    .map(|(full_name, executable)| Launched { full_name, executable, config: "" });
    let mut containerd = containerd::start("v2.4.2", &plugins);
    containerd.lifecycle("first");
    for (direct, behind) in [("10", "11"), ("20", "21")] {
        let seen = events(folder.path(), behind);
        assert_eq!(seen, events(folder.path(), direct));
        for event in STATE_CHANGES {
            assert!(seen.iter().any(|one| one == event), "{event}: {seen:?}");
        }
    }
    // containerd does not notice that the plugins are old.
    let warned: Vec<_> = containerd
        .log()
        .iter()
        .filter(|line| line.contains("deprecated=StateChange"))
        .filter_map(|line| line.rsplit_once("plugin="))
        .collect();
    assert_eq!(warned.len(), 2 * STATE_CHANGES.len(), "{warned:#?}");
    assert!(warned.iter().all(|(_, plugin)| plugin.ends_with("-direct")), "{warned:#?}");
}

//! The example runtime runs an OCI bundle with runc: the process reports what the plugins gave it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use super::example_runtime::{Line, runtime_with};

/// Prints what the process has, and ends with 7.
const SCRIPT: &str = r#"
echo "variable: ${MARK%-*}"
echo "files: $(ulimit -S -n) $(ulimit -H -n)"
echo "device: $(stat -c '%F %t:%T' /dev/injected)"
echo "mount: $(cat /srv/note)"
echo "processes: $(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null)"
exit 7
"#;

const REPORT: &str = "variable: logger-pid
files: 100 200
device: character special file 1:3
mount: from the host
processes: 77
";

/// The bundle of a container that has the programs of this machine.
fn config(shared: &Path) -> Value {
    let mounts = format!(
        "[{{source: {}, destination: /srv, type: bind, options: [bind, ro]}}]",
        shared.display()
    );
    json!({
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": ["sh", "-c", SCRIPT],
            "env": ["PATH=/usr/bin:/bin"],
            "cwd": "/",
        },
        "root": {"path": "rootfs"},
        "annotations": {
            "example.org/name": "bundle",
            "ulimits.noderesource.dev/container.hello": "[{type: nofile, soft: 100, hard: 200}]",
            "devices.noderesource.dev": "[{path: /dev/injected, type: c, major: 1, minor: 3}]",
            "mounts.noderesource.dev": mounts,
        },
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
            {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro"]},
            {"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": ["ro"]},
        ],
        "linux": {"namespaces": [{"type": "pid"}, {"type": "mount"}, {"type": "ipc"}, {"type": "uts"}]},
    })
}

/// Writes the bundle and what the plugins share with it.
fn prepare(folder: &Path) {
    let (bundle, shared, hooks) =
        (folder.join("hello"), folder.join("shared"), folder.join("hooks"));
    for path in [&bundle.join("rootfs/usr"), &shared, &hooks] {
        fs::create_dir_all(path).expect("temporary folder is writable");
    }
    for name in ["bin", "lib", "lib64"] {
        let link = bundle.join("rootfs").join(name);
        symlink(format!("usr/{name}"), link).expect("temporary folder is writable");
    }
    let trace = format!("cat > {}", folder.join("hooked").display());
    let hook = json!({
        "version": "1.0.0",
        "hook": {"path": "/bin/sh", "args": ["sh", "-c", trace]},
        "when": {"always": true},
        "stages": ["createRuntime"],
    });
    for (file, text) in [
        (bundle.join("config.json"), config(&shared).to_string()),
        (shared.join("note"), "from the host".to_owned()),
        (hooks.join("trace.json"), hook.to_string()),
        (folder.join("limit"), "limit: 77".to_owned()),
    ] {
        fs::write(file, text).expect("temporary folder is writable");
    }
}

#[test]
fn the_process_reports_what_the_plugins_gave_it() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    prepare(folder.path());
    let (hook_folder, limit_file) = (path("hooks"), path("limit"));
    let (hooks, limit) = (["--hooks", &*hook_folder], ["--config", &*limit_file]);
    let plugins: [Line<'_>; 5] = [
        ("logger", &["--quiet", "--add-env", "MARK"]),
        ("ulimit-adjuster", &[]),
        ("device-injector", &[]),
        ("hook-injector", &hooks),
        ("pids-limit", &limit),
    ];
    let socket = folder.path().join("nri.sock");
    let output = runtime_with(&plugins, &socket, &["--bundle", &path("hello")]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), REPORT, "{error}");
    assert_eq!(output.status.code(), Some(7), "{error}");
    let hooked = fs::read_to_string(path("hooked")).expect("the hook ran");
    let state: Value = serde_json::from_str(&hooked).expect("the state of the container");
    assert_eq!(state["annotations"]["example.org/name"], "bundle");
}

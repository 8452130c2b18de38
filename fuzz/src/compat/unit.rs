//! Reads any text as a systemd unit, its drop-in, its environment file and the command line of a
//! process, without a panic. A configuration that they name must be below the root of the machine.

use std::path::PathBuf;
use std::sync::OnceLock;

use nri_compat::check::collect::{Request, collect};

/// Runs the target once.
pub(crate) fn run(texts: (&str, &str, &str, &str)) {
    let root = root();
    let files = [
        ("etc/systemd/system/containerd.service", texts.0),
        ("etc/systemd/system/containerd.service.d/a.conf", texts.1),
        ("etc/environment", texts.2),
        ("proc/1/cmdline", texts.3),
    ];
    for (path, text) in files {
        std::fs::write(root.join(path), text).expect("a temporary file can be written");
    }
    let request = Request {
        root: Some(root.clone()),
        threads: 1,
        ..Request::default()
    };
    let found = collect(&request, &[]);
    assert!(!found.summary.looked_at.is_empty());
    let root = root.display().to_string();
    for skipped in found.skipped {
        assert!(skipped.place.file.starts_with(&root), "{}", skipped.place);
    }
}

fn root() -> &'static PathBuf {
    static ROOT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &ROOT
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let path = folder.path().canonicalize().expect("it exists");
            std::fs::create_dir_all(path.join("etc/systemd/system/containerd.service.d"))
                .expect("a folder can be made");
            std::fs::create_dir_all(path.join("proc/1")).expect("a folder can be made");
            (folder, path)
        })
        .1
}

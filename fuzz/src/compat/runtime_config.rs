//! Reads any text as a configuration of containerd, as that of CRI-O, and as a template of k3s, and
//! judges the settings. All folders to check must be below the root of the machine.

use std::sync::OnceLock;

use nri_compat::check::collect::{Request, collect};

/// Runs the target once.
pub(crate) fn run(text: &str) {
    // Imports may lead upwards, to files outside the root.
    if text.contains("..") {
        return;
    }
    let root = root().path();
    let paths = ["config.toml", "crio.conf", "config.toml.tmpl"].map(|name| root.join(name));
    for path in &paths {
        std::fs::write(path, text).expect("a temporary file can be written");
    }
    let request = Request {
        paths: paths.to_vec(),
        root: Some(root.to_owned()),
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

fn root() -> &'static tempfile::TempDir {
    static ROOT: OnceLock<tempfile::TempDir> = OnceLock::new();
    ROOT.get_or_init(|| tempfile::tempdir().expect("a temporary folder can be made"))
}

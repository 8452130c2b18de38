//! `check` on a machine: running processes, and the folders that its runtimes are configured to
//! use.

mod configuration;
mod links;
mod places;
mod processes;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::common::Marker;
use nri_compat::check::collect::{Collected, Request, collect};

struct Machine {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        Self { _keep: keep, root }
    }

    fn with(self, path: &str, text: &str) -> Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn process(self, pid: u32, exe: &str) -> Self {
        let this = self.with(&format!("proc/{pid}/cmdline"), "x");
        symlink(this.root.join(exe), this.root.join(format!("proc/{pid}/exe"))).unwrap();
        this
    }

    fn collected(&self, paths: &[&str], processes: bool) -> Collected {
        let request = Request {
            paths: paths.iter().map(|path| self.root.join(path)).collect(),
            processes,
            root: Some(self.root.clone()),
            ..Request::default()
        };
        collect(&request, &[&Marker])
    }

    /// Returns lines with the machine's root cut out.
    fn bare(&self, lines: &[String]) -> Vec<String> {
        let root = self.root.to_str().unwrap();
        lines.iter().map(|line| line.replace(root, "")).collect()
    }

    /// Returns the places that were checked.
    fn places(&self, found: &Collected) -> Vec<String> {
        self.bare(&found.summary.looked_at)
    }

    fn found(&self, paths: &[&str]) -> Vec<String> {
        self.bare(&crate::common::paths(&self.collected(paths, false)))
    }
}

/// Returns a containerd configuration that names a folder of plugins.
fn containerd(folder: &str) -> String {
    format!("version = 2\n[plugins.'io.containerd.nri.v1.nri']\nplugin_path = '{folder}'\n")
}

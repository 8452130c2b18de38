//! A node made of files: the parts of `/proc` and `/sys/fs/cgroup` that the judges read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The files.
pub(crate) struct Node {
    folder: TempDir,
}

impl Node {
    /// Creates a node without pods.
    pub(crate) fn new() -> Node {
        let node = Node { folder: tempfile::tempdir().expect("a temporary folder") };
        node.write("sys/fs/cgroup/cgroup.controllers", "");
        for (kind, number) in [("ipc", 1), ("net", 2), ("uts", 3)] {
            node.link(&format!("proc/1/ns/{kind}"), &format!("{kind}:[{number}]"));
        }
        node
    }

    /// Returns the root folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Adds a pod with its process, its namespaces, its network and its cgroup.
    pub(crate) fn add(&self, pid: u32, id: &str, cgroup: &str) {
        self.write(&format!("proc/{pid}/stat"), &format!("{pid} (pause) S 1"));
        for (offset, kind) in ["ipc", "net", "uts"].into_iter().enumerate() {
            let name = format!("{kind}:[{}]", pid * 10 + offset as u32);
            self.link(&format!("proc/{pid}/ns/{kind}"), &name);
        }
        self.link(&netns(id), &format!("net:[{}]", pid * 10 + 1));
        let devices = "Inter-|\n face |\n    lo: 0\n  eth0: 0\n";
        self.write(&format!("proc/{pid}/net/dev"), devices);
        self.assign(pid, "10.0.0.7");
        fs::create_dir_all(self.root().join("sys/fs/cgroup").join(cgroup)).expect("a cgroup");
    }

    /// Adds an address to the network of a pod.
    pub(crate) fn assign(&self, pid: u32, address: &str) {
        let trie = format!("Local:\n     |-- {address}\n        /32 host LOCAL\n");
        self.write(&format!("proc/{pid}/net/fib_trie"), &trie);
    }

    /// Removes a file or folder, if it exists.
    pub(crate) fn remove(&self, path: &str) {
        let path = self.root().join(path);
        if fs::remove_file(&path).is_err() {
            let _ = fs::remove_dir_all(&path);
        }
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.parent(path), text).expect("a file");
    }

    fn link(&self, path: &str, target: &str) {
        symlink(target, self.parent(path)).expect("a link");
    }

    fn parent(&self, path: &str) -> PathBuf {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        path
    }
}

/// Returns the file of a network namespace, below the root.
pub(crate) fn netns(id: &str) -> String {
    format!("run/netns/{id}")
}

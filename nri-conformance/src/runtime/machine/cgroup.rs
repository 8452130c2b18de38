//! The cgroups of a pod.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nri::api::PodSandbox;

use super::Machine;

/// The folder below which all hierarchies are mounted.
const CGROUPS: &str = "sys/fs/cgroup";

impl Machine {
    /// Returns the cgroup of the pod and that of the sandbox, each with true if it exists.
    pub(super) fn cgroups(&self, pod: &PodSandbox) -> Vec<(String, bool)> {
        pod.linux
            .iter()
            .flat_map(|linux| [&linux.cgroup_parent, &linux.cgroups_path])
            .filter(|name| !name.is_empty())
            .map(|name| (name.clone(), !self.cgroup_folders(name).is_empty()))
            .collect()
    }

    /// Returns the process of a cgroup that has exactly one.
    pub(super) fn only_process(&self, cgroup: &str) -> Option<u32> {
        let folders = self.cgroup_folders(cgroup);
        let processes = folders
            .iter()
            .filter_map(|folder| fs::read_to_string(folder.join("cgroup.procs")).ok());
        let pids = processes
            .map(|text| text.lines().filter_map(|line| line.parse().ok()).collect())
            .find(|pids: &Vec<u32>| !pids.is_empty())?;
        <[u32; 1]>::try_from(pids).ok().map(|[pid]| pid)
    }

    /// Returns the folders of a cgroup, one for each hierarchy that has it.
    fn cgroup_folders(&self, cgroup: &str) -> Vec<PathBuf> {
        if cgroup.is_empty() {
            return Vec::new();
        }
        let path = conventional_path(cgroup);
        self.hierarchies()
            .into_iter()
            .map(|hierarchy| hierarchy.join(&path))
            .filter(|folder| folder.is_dir())
            .collect()
    }

    /// Returns the mount points of all hierarchies: one for version 2, one for each controller for
    /// version 1.
    fn hierarchies(&self) -> Vec<PathBuf> {
        let root = self.at(CGROUPS);
        if root.join("cgroup.controllers").exists() {
            return vec![root];
        }
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.join("cgroup.procs").exists())
            // Each controller that is mounted together with others has a link.
            .filter_map(|path| fs::canonicalize(path).ok())
            .collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Creates a cgroup in every hierarchy, like the kubelet for a pod. It is removed when the
    /// value is dropped.
    pub(crate) fn create_cgroup(&self, path: &str) -> io::Result<PodCgroup> {
        let hierarchies = self.hierarchies();
        if hierarchies.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no cgroup hierarchy is mounted"));
        }
        let mut cgroup = PodCgroup { folders: Vec::new() };
        for hierarchy in hierarchies {
            let folder = hierarchy.join(path.trim_start_matches('/'));
            fs::create_dir(&folder)?;
            cgroup.folders.push(folder);
        }
        Ok(cgroup)
    }
}

/// The cgroup of a pod that the driver runs.
#[derive(Debug)]
pub(crate) struct PodCgroup {
    folders: Vec<PathBuf>,
}

impl Drop for PodCgroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            if let Err(error) = remove_tree(folder) {
                tracing::warn!("cannot remove the cgroup {}: {error}", folder.display());
            }
        }
    }
}

/// Removes a cgroup and those below it. Their files disappear with them and cannot be removed
/// individually.
fn remove_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_tree(&entry.path())?;
        }
    }
    fs::remove_dir(folder)
}

/// Returns the path of a cgroup below a hierarchy. systemd writes a cgroup as `SLICE:PREFIX:NAME`
/// or as a slice, and a slice `a-b.slice` is below `a.slice`.
fn conventional_path(cgroup: &str) -> PathBuf {
    let parts: Vec<&str> = cgroup.split(':').collect();
    if let [slice, prefix, name] = parts[..] {
        let unit = if name.ends_with(".slice") {
            name.to_owned()
        } else {
            format!("{prefix}-{name}.scope")
        };
        return slice_path(slice).join(unit);
    }
    if cgroup.ends_with(".slice") && !cgroup.contains('/') {
        return slice_path(cgroup);
    }
    PathBuf::from(cgroup.trim_start_matches('/'))
}

fn slice_path(slice: &str) -> PathBuf {
    let Some(name) = slice.strip_suffix(".slice") else {
        return PathBuf::from(slice.trim_start_matches('/'));
    };
    let ends = name.match_indices('-').map(|(at, _)| at);
    ends.chain([name.len()]).map(|end| format!("{}.slice", &name[..end])).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::conventional_path;

    #[test]
    fn a_cgroup_is_found_under_the_names_of_both_drivers() {
        for (cgroup, path) in [
            ("/k8s.io/0a1b", "k8s.io/0a1b"),
            ("kubepods.slice", "kubepods.slice"),
            (
                "kubepods-burstable-pod1.slice",
                "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice",
            ),
            (
                "kubepods-pod1.slice:cri-containerd:0a1b",
                "kubepods.slice/kubepods-pod1.slice/cri-containerd-0a1b.scope",
            ),
            ("/kubepods.slice/kubepods-pod1.slice", "kubepods.slice/kubepods-pod1.slice"),
        ] {
            assert_eq!(conventional_path(cgroup), Path::new(path), "{cgroup}");
        }
    }
}

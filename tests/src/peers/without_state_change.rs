//! The reference adaptation as it will be after the removal of StateChange: the newest release, of
//! which a copy with one other condition is compiled. Nothing of its sources is kept in this
//! repository.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{fs, process};

use nri_adaptation::Revision;

use super::{GoBuild, NRI_RELEASES, folder, nri_build, sources, strings};

/// The Go module.
const MODULE: &str = "github.com/containerd/nri";

/// Its file with the condition.
const FILE: &str = "pkg/adaptation/plugin_type.go";

/// The condition that leads to StateChange, once for each RPC that it carries.
const CONDITION: &str = "status.Code(err) == codes.Unimplemented";

/// Returns the runtime over the reference adaptation of the newest NRI release, which never sends
/// StateChange.
///
/// # Panics
///
/// Panics like [`GoBuild::build`], and if the sources no longer have the condition.
#[must_use]
pub fn runtime_without_state_change() -> PathBuf {
    let newest = NRI_RELEASES[NRI_RELEASES.len() - 1];
    let build = nri_build(newest);
    let modfile = modfile(&build, newest);
    GoBuild {
        name: format!("nri-{newest}-without-state-change"),
        modfile: modfile.display().to_string(),
        packages: strings(&["./runtime"]),
        ..build
    }
    .build()
    .join("runtime")
}

/// Returns a module file like that of a build, which takes the changed copy for NRI. Its folder is
/// named after what is in it.
fn modfile(build: &GoBuild, release: &str) -> PathBuf {
    let original = sources(MODULE, release);
    let changed = changed(&original);
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join(&build.module);
    let [requirements, sums] = [build.modfile.clone(), build.modfile.replace(".mod", ".sum")]
        .map(|name| fs::read_to_string(peers.join(name)).expect("module file is readable"));
    let mut hasher = DefaultHasher::new();
    (release, &changed, &requirements, &sums).hash(&mut hasher);
    let parent = folder("without-state-change");
    fs::create_dir_all(&parent).expect("target folder is writable");
    let parent = parent.canonicalize().expect("it exists");
    let done = parent.join(format!("{:016x}", hasher.finish()));
    if !done.is_dir() {
        let fresh = parent.join(format!("build-{}", process::id()));
        copy(&original, &fresh.join("nri"));
        write(&fresh.join("nri").join(FILE), &changed);
        let replaced = format!("{requirements}\nreplace {MODULE} => {}/nri\n", done.display());
        write(&fresh.join("go.mod"), &replaced);
        write(&fresh.join("go.sum"), &sums);
        // If another process was faster, its copy is used.
        if fs::rename(&fresh, &done).is_err() {
            assert!(done.is_dir(), "cannot move {} to {}", fresh.display(), done.display());
        }
    }
    done.join("go.mod")
}

/// Returns the text of the file with a condition that is never true.
fn changed(module: &Path) -> String {
    let text = fs::read_to_string(module.join(FILE)).expect("the module has the file");
    let carried = Revision::rpcs().iter().filter(|rpc| rpc.change_fields.is_some());
    assert_eq!(text.matches(CONDITION).count(), carried.count(), "{}", module.display());
    text.replace(CONDITION, &format!("{CONDITION} && false"))
}

/// Copies a folder, whose files are read-only in the cache of Go.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("target folder is writable");
    for entry in fs::read_dir(from).expect("the module is readable") {
        let entry = entry.expect("the module is readable");
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &copied);
        } else {
            let bytes = fs::read(&path).expect("the module is readable");
            fs::write(&copied, bytes).expect("target folder is writable");
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("target folder is writable");
}

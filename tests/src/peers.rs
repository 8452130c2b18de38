//! Builds the peers written in Go, each once, into `peers/` of the target folder.
//!
//! The name of a program is a hash of all its inputs, so a peer is rebuilt exactly when its
//! sources, its modules, its options or the Go release change.

mod build;
mod without_state_change;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use build::{GoBuild, run, sources};
pub(crate) use build::{modfile, target_folder};
pub use without_state_change::runtime_without_state_change;

/// The NRI releases that peers are built with, oldest first.
pub const NRI_RELEASES: [&str; 4] = ["v0.6.1", "v0.8.0", "v0.11.0", "v0.12.5"];

/// The containerd releases that are built, oldest first: the first knows only StateChange.
pub const CONTAINERD_RELEASES: [&str; 2] = ["v2.2.9", "v2.4.2"];

/// Compiles a large peer in two thirds of the time, without optimization. It is not for peers whose
/// speed is measured. `.ci/setup.sh` has the same option, so that it fills the cache.
const UNOPTIMIZED: &str = "-gcflags=all=-N -l -dwarf=false";

/// Returns the folder of a peer that `.ci/setup.sh` installs.
#[must_use]
pub fn folder(peer: &str) -> PathBuf {
    target_folder().join("peers").join(peer)
}

/// Returns the runtime over the reference adaptation of an NRI release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn runtime(nri: &str) -> PathBuf {
    nri_build(nri).build().join("runtime")
}

/// Returns the plugin on the stub of an NRI release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn plugin(nri: &str) -> PathBuf {
    nri_build(nri).build().join("plugin")
}

/// Returns the program that speaks ttrpc over the multiplexer of an NRI release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn wire(nri: &str) -> PathBuf {
    nri_build(nri).build().join("wire")
}

/// Returns the program that merges answers with the reference adaptation of the newest NRI release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn merge() -> PathBuf {
    GoBuild {
        name: "merge".into(),
        packages: strings(&["./merge"]),
        ..nri_build(NRI_RELEASES[NRI_RELEASES.len() - 1])
    }
    .build()
    .join("merge")
}

/// Returns the program that applies adjustments to OCI specs with the generator of the newest NRI
/// release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn oci() -> PathBuf {
    GoBuild {
        name: "oci".into(),
        packages: strings(&["./oci"]),
        ..nri_build(NRI_RELEASES[NRI_RELEASES.len() - 1])
    }
    .build()
    .join("oci")
}

/// Returns the folder with the programs that the sample plugins are compared with, over the newest
/// NRI release: `validator`, the default validator as a plugin, and `v010`, a plugin of NRI v0.1.0.
///
/// # Panics
///
/// As [`GoBuild::build`].
#[must_use]
pub fn samples() -> PathBuf {
    GoBuild {
        name: "samples".into(),
        packages: strings(&["./validator", "./v010"]),
        ..nri_build(NRI_RELEASES[NRI_RELEASES.len() - 1])
    }
    .build()
}

/// Returns the program that selects the hooks of containers with the library that CRI-O, Podman and
/// the hook-injector of the NRI project share.
///
/// # Panics
///
/// As [`GoBuild::build`].
#[must_use]
pub fn hooks() -> PathBuf {
    GoBuild {
        name: "hooks".into(),
        module: "hooks".into(),
        modfile: "go.mod".into(),
        options: strings(&["-ldflags=-s -w"]),
        environment: Vec::new(),
        packages: strings(&["."]),
    }
    .build()
    .join("hooks")
}

/// Returns the program that decodes messages with given schemas, using Go's protobuf library.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn transfer() -> PathBuf {
    GoBuild {
        name: "transfer".into(),
        packages: strings(&["./transfer"]),
        ..nri_build(NRI_RELEASES[NRI_RELEASES.len() - 1])
    }
    .build()
    .join("transfer")
}

/// Returns the build of the peers over an NRI release.
#[must_use]
pub fn nri_build(nri: &str) -> GoBuild {
    let tags = match nri {
        "v0.6.1" | "v0.8.0" => "nri_before_v0_12_4,nri_before_v0_10",
        "v0.11.0" => "nri_before_v0_12_4",
        _ => "",
    };
    GoBuild {
        name: format!("nri-{nri}"),
        module: "peers".into(),
        modfile: modfile("peers", "github.com/containerd/nri", nri),
        options: strings(&["-ldflags=-s -w", "-tags", tags]),
        environment: Vec::new(),
        packages: strings(&["./runtime", "./plugin", "./wire"]),
    }
}

/// Returns the folder with `containerd`, its shim and `ctr` of a release.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn containerd(release: &str) -> PathBuf {
    let module = "github.com/containerd/containerd/v2";
    GoBuild {
        name: format!("containerd-{release}"),
        module: "containerd".into(),
        modfile: modfile("containerd", module, release),
        options: vec![
            UNOPTIMIZED.to_owned(),
            format!("-ldflags=-s -w -X {module}/version.Version={release}"),
        ],
        environment: Vec::new(),
        packages: strings(&["tool"]),
    }
    .build()
}

/// Returns the folder with `crio` and with its helper `pinns`, which is written in C.
///
/// # Panics
///
/// Panics like [`GoBuild::build`], and if there is no C compiler.
#[must_use]
pub fn crio() -> PathBuf {
    let tags = "containers_image_openpgp,exclude_graphdriver_btrfs";
    let programs = GoBuild {
        name: "crio".into(),
        module: "crio".into(),
        modfile: "go.mod".into(),
        options: strings(&[UNOPTIMIZED, "-ldflags=-s -w", "-tags", tags]),
        environment: Vec::new(),
        packages: strings(&["tool"]),
    }
    .build();
    if !programs.join("pinns").exists() {
        build_pinns(&programs);
    }
    programs
}

/// Compiles `pinns`, whose sources are in the module of CRI-O.
fn build_pinns(programs: &Path) {
    let mut list = Command::new("go");
    list.args(["list", "-m", "-f", "{{.Dir}}", "github.com/cri-o/cri-o"]);
    let module = run(list.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crio")));
    let folder = Path::new(module.trim()).join("pinns/src");
    let fresh = programs.join(format!("pinns-{}", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Os", "-o"]).arg(&fresh);
    run(compiler.args(["pinns.c", "sysctl.c"].map(|source| folder.join(source))));
    fs::rename(fresh, programs.join("pinns")).expect("target folder is writable");
}

/// Returns the program that contains etcd and all commands of Kubernetes.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn kubernetes() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/kubernetes");
    let module = fs::read_to_string(folder.join("go.mod")).expect("module file is readable");
    let release = module
        .lines()
        .find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "))
        .expect("go.mod requires Kubernetes");
    GoBuild {
        name: "kubernetes".into(),
        module: "peers/kubernetes".into(),
        modfile: "go.mod".into(),
        options: vec![
            UNOPTIMIZED.to_owned(),
            format!("-ldflags=-s -w -X k8s.io/component-base/version.gitVersion={release}"),
        ],
        environment: Vec::new(),
        packages: strings(&["."]),
    }
    .build()
    .join("kubernetes")
}

/// Returns the folder with `registry`, the image registry of the distribution project.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn distribution() -> PathBuf {
    GoBuild {
        name: "distribution".into(),
        module: "registry".into(),
        modfile: "go.mod".into(),
        options: strings(&[UNOPTIMIZED, "-ldflags=-s -w"]),
        environment: Vec::new(),
        packages: strings(&["tool"]),
    }
    .build()
}

/// Returns the folder with `cri`, `image` and `pause`: a client, an image packer, and the program
/// in the image.
///
/// # Panics
///
/// Panics like [`GoBuild::build`].
#[must_use]
pub fn pod_tools() -> PathBuf {
    GoBuild {
        name: "pod-tools".into(),
        module: "containerd".into(),
        modfile: "go.mod".into(),
        options: strings(&[UNOPTIMIZED, "-ldflags=-s -w"]),
        environment: Vec::new(),
        packages: strings(&["./cri", "./image", "./pause"]),
    }
    .build()
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

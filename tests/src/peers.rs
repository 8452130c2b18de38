//! Builds the peers written in Go, each once, into `peers/` of the target folder.
//!
//! Programs are found under a name that is a hash of all that went into it, so a peer is built again exactly when
//! its sources, its modules, its options or the Go release change.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

/// The NRI releases that peers are built with, oldest first.
pub const NRI_RELEASES: [&str; 4] = ["v0.6.1", "v0.8.0", "v0.11.0", "v0.12.5"];

/// The containerd releases that are built, oldest first: the first knows only StateChange.
pub const CONTAINERD_RELEASES: [&str; 2] = ["v2.2.9", "v2.4.2"];

/// A `go build` to be done.
#[derive(Clone, Debug, Hash)]
pub struct GoBuild {
    /// Name of the folder that the programs end up in.
    pub name: String,
    /// Folder of the Go module, relative to this crate.
    pub module: String,
    /// The module file in that folder.
    pub modfile: String,
    /// Arguments before the packages, such as `-tags`.
    pub options: Vec<String>,
    /// Variables on top of `CGO_ENABLED=0`, such as `GOARCH`.
    pub environment: Vec<(String, String)>,
    /// The packages to build.
    pub packages: Vec<String>,
}

impl GoBuild {
    /// Builds unless that is done already; the folder with the programs.
    ///
    /// # Panics
    ///
    /// Panics if Go is missing or the build fails.
    #[must_use]
    pub fn build(&self) -> PathBuf {
        self.make("build")
    }

    /// Builds the test binary of the one package, whose name has `.test` behind it, as the program is to have it.
    ///
    /// # Panics
    ///
    /// Panics like [`GoBuild::build`].
    #[must_use]
    pub fn test(&self) -> PathBuf {
        self.make("test")
    }

    fn make(&self, command: &str) -> PathBuf {
        // One at a time: tests of a process share the folder that is built into.
        static BUILDING: Mutex<()> = Mutex::new(());
        let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = target_folder().join("peers").join(&self.name);
        let done = parent.join(format!("{:016x}", self.key()));
        if !done.is_dir() {
            let fresh = parent.join(format!("build-{}", std::process::id()));
            self.compile(command, &fresh);
            remove_older(&parent, &fresh);
            // Another process may have been faster; then its programs serve.
            if fs::rename(&fresh, &done).is_err() {
                assert!(
                    done.is_dir(),
                    "cannot move {} to {}",
                    fresh.display(),
                    done.display()
                );
            }
        }
        done
    }

    fn compile(&self, command: &str, output: &Path) {
        fs::create_dir_all(output).expect("target folder is writable");
        let mut go = Command::new("go");
        go.current_dir(self.folder())
            .arg(command)
            .args(if command == "test" { &["-c"][..] } else { &[] })
            .args(["-trimpath", "-buildvcs=false", "-modfile", &self.modfile])
            .args(&self.options)
            .arg("-o")
            .arg(output.join(""))
            .args(
                self.packages
                    .iter()
                    .map(|package| package.trim_end_matches(".test")),
            )
            .env("CGO_ENABLED", "0")
            .envs(self.environment.iter().cloned());
        run(&mut go);
    }

    fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(&self.module)
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        run(Command::new("go").arg("version")).hash(&mut hasher);
        hash_folder(&self.folder(), &mut hasher);
        hasher.finish()
    }
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", folder.display()))
        .map(|entry| entry.expect("folder is readable").path())
        .collect();
    paths.sort();
    for path in paths {
        path.file_name().hash(hasher);
        if path.is_dir() {
            hash_folder(&path, hasher);
        } else {
            fs::read(&path).expect("source is readable").hash(hasher);
        }
    }
}

fn remove_older(parent: &Path, keep: &Path) {
    for entry in fs::read_dir(parent)
        .expect("target folder is readable")
        .flatten()
    {
        let name = entry.file_name();
        if entry.path() != keep && !name.to_string_lossy().starts_with("build-") {
            // Another process may still use it, or may have removed it already.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the folder of a peer that `.ci/setup.sh` installs.
#[must_use]
pub fn folder(peer: &str) -> PathBuf {
    target_folder().join("peers").join(peer)
}

/// Returns the folder that cargo builds into.
pub(crate) fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    )
}

/// Runs a command to its end and gives its standard output.
///
/// # Panics
///
/// Panics if it cannot be run or fails; the message has what it wrote to standard error.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("cannot run {:?}: {e}", command.get_program()));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
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

/// Returns the program that has the reference adaptation of the newest NRI release merge answers.
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

/// Returns the program that has the generator of the newest NRI release apply adjustments to OCI
/// specs.
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

/// Returns the folder with the programs that the sample plugins are compared with, over the newest NRI release:
/// `validator`, the default validator as a plugin, and `v010`, a plugin of NRI v0.1.0.
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

/// Returns the program that decides which hooks containers get, with the library that CRI-O, Podman and the hook-injector
/// of the NRI project share.
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

/// Returns the program that decodes messages with schemas that it is given, using Go's protobuf
/// library.
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

/// Returns how the peers over an NRI release are built.
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
        options: vec![format!(
            "-ldflags=-s -w -X {module}/version.Version={release}"
        )],
        environment: Vec::new(),
        packages: strings(&["tool"]),
    }
    .build()
}

/// Returns the program that is etcd and all commands of Kubernetes.
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
        .find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "));
    let release = release.expect("go.mod requires Kubernetes");
    GoBuild {
        name: "kubernetes".into(),
        module: "peers/kubernetes".into(),
        modfile: "go.mod".into(),
        options: vec![format!(
            "-ldflags=-s -w -X k8s.io/component-base/version.gitVersion={release}"
        )],
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
        options: strings(&["-ldflags=-s -w"]),
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
        options: strings(&["-ldflags=-s -w"]),
        environment: Vec::new(),
        packages: strings(&["./cri", "./image", "./pause"]),
    }
    .build()
}

/// Returns the module file of a release: `go.mod` for the newest one, else a file named after it.
pub(crate) fn modfile(folder: &str, module: &str, release: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let own = format!("{}.mod", release.replace('.', "_"));
    let name = if folder.join(&own).exists() {
        own
    } else {
        "go.mod".into()
    };
    let text = fs::read_to_string(folder.join(&name)).expect("module file is readable");
    let wanted = format!("{module} {release}");
    assert!(
        text.lines().any(|line| line.contains(&wanted)),
        "{}/{name} does not require {wanted}",
        folder.display()
    );
    name
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

//! Runs `go build` and `go test -c`, each once for the same sources, modules, options and Go
//! release.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use serde_json::Value;

/// The inputs of a `go build`.
#[derive(Clone, Debug, Hash)]
pub struct GoBuild {
    /// Name of the folder for the programs.
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
    /// Builds the programs unless they exist, and returns their folder.
    ///
    /// # Panics
    ///
    /// Panics if Go is missing or the build fails.
    #[must_use]
    pub fn build(&self) -> PathBuf {
        self.make("build")
    }

    /// Builds the test binary of the only package, whose name with the suffix `.test` is that of
    /// the program.
    ///
    /// # Panics
    ///
    /// Panics like [`GoBuild::build`].
    #[must_use]
    pub fn test(&self) -> PathBuf {
        self.make("test")
    }

    fn make(&self, command: &str) -> PathBuf {
        // One at a time, because the tests of a process share the output folder.
        static BUILDING: Mutex<()> = Mutex::new(());
        let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = target_folder().join("peers").join(&self.name);
        let done = parent.join(format!("{:016x}", self.key()));
        if !done.is_dir() {
            let fresh = parent.join(format!("build-{}", std::process::id()));
            self.compile(command, &fresh);
            remove_older(&parent, &fresh);
            // If another process was faster, its programs are used.
            if fs::rename(&fresh, &done).is_err() {
                assert!(done.is_dir(), "cannot move {} to {}", fresh.display(), done.display());
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
            .args(self.packages.iter().map(|package| package.trim_end_matches(".test")))
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
    for entry in fs::read_dir(parent).expect("target folder is readable").flatten() {
        let name = entry.file_name();
        if entry.path() != keep && !name.to_string_lossy().starts_with("build-") {
            // Another process may still use it, or may have removed it already.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the output folder of cargo.
pub(crate) fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from)
}

/// Runs a command to its end and returns its standard output.
///
/// # Panics
///
/// Panics if it cannot be run or fails; the message contains its standard error.
pub fn run(command: &mut Command) -> String {
    let output =
        command.output().unwrap_or_else(|e| panic!("cannot run {:?}: {e}", command.get_program()));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Downloads the sources of a module, and returns their folder.
///
/// # Panics
///
/// Panics if the proxy does not serve it.
#[must_use]
pub fn sources(module: &str, version: &str) -> PathBuf {
    let mut go = Command::new("go");
    let answer = run(go.args(["mod", "download", "-json"]).arg(format!("{module}@{version}")));
    let answer: Value = serde_json::from_str(&answer).expect("go prints JSON");
    PathBuf::from(answer["Dir"].as_str().expect("a folder"))
}

/// Returns the module file of a release: `go.mod` for the newest one, else a file named after it.
pub(crate) fn modfile(folder: &str, module: &str, release: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let own = format!("{}.mod", release.replace('.', "_"));
    let name = if folder.join(&own).exists() { own } else { "go.mod".into() };
    let text = fs::read_to_string(folder.join(&name)).expect("module file is readable");
    let wanted = format!("{module} {release}");
    assert!(
        text.lines().any(|line| line.contains(&wanted)),
        "{}/{name} does not require {wanted}",
        folder.display()
    );
    name
}

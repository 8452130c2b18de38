//! The files that a kubeconfig consists of.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use kube::config::{Kubeconfig, KubeconfigError};

use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 16 << 20;

/// The environment variable with the files.
const VARIABLE: &str = "KUBECONFIG";

/// The files, in the order in which they are merged: the first one that sets a value wins.
pub(super) struct Files {
    paths: Vec<PathBuf>,
    origin: Origin,
}

/// The source of the list of files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Option,
    Variable,
    Home,
}

impl Files {
    /// Returns the file that the user named, else those of the environment, else that of the home
    /// folder. Like `kubectl`, ignores files of the environment that do not exist.
    pub(super) fn find(named: Option<&Path>) -> Self {
        if let Some(path) = named {
            return Self::new(vec![path.to_owned()], Origin::Option);
        }
        let variable = std::env::var_os(VARIABLE).unwrap_or_default();
        let paths = std::env::split_paths(&variable).filter(|path| !path.as_os_str().is_empty());
        let paths: Vec<PathBuf> = paths.collect();
        if !paths.is_empty() {
            return Self::new(paths, Origin::Variable);
        }
        let home = std::env::home_dir().map(|home| home.join(".kube/config"));
        Self::new(home.into_iter().collect(), Origin::Home)
    }

    fn new(paths: Vec<PathBuf>, origin: Origin) -> Self {
        Self { paths, origin }
    }

    /// Returns true if there is a file to read.
    pub(super) fn exist(&self) -> bool {
        self.origin == Origin::Option || self.paths.iter().any(|path| path.exists())
    }

    /// Returns the paths for messages.
    pub(super) fn shown(&self) -> String {
        let paths = self.paths.iter().map(|path| path.display().to_string());
        paths.collect::<Vec<_>>().join(", ")
    }

    /// Reads and merges the files.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or is not a kubeconfig, and if there is none.
    pub(super) fn read(&self) -> Result<Kubeconfig, ClusterError> {
        if !self.exist() {
            return Err(self.missing());
        }
        let is_read = |path: &&PathBuf| self.origin == Origin::Option || path.exists();
        let mut merged = Kubeconfig::default();
        for path in self.paths.iter().filter(is_read) {
            let failed = |error| unreadable(path, error);
            merged = merged.merge(read(path).map_err(failed)?).map_err(failed)?;
        }
        Ok(merged)
    }

    fn missing(&self) -> ClusterError {
        let message = match self.origin {
            Origin::Variable => {
                format!("no file of {VARIABLE} exists: {}", self.shown())
            }
            Origin::Option | Origin::Home if !self.paths.is_empty() => {
                format!("there is no kubeconfig: {} does not exist", self.shown())
            }
            Origin::Option | Origin::Home => "there is no kubeconfig".to_owned(),
        };
        ClusterError::new(ClusterErrorKind::Kubeconfig, message).with_help(
            "name one with --kubeconfig or KUBECONFIG, or run in a pod with a service account",
        )
    }
}

/// Reads a file. Relative paths in a regular file are resolved against its folder; a pipe has no
/// folder.
fn read(path: &Path) -> Result<Kubeconfig, KubeconfigError> {
    let failed = |error| KubeconfigError::ReadConfig(error, path.to_owned());
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_file() && metadata.len() <= MAX_FILE {
        return Kubeconfig::read_from(path).map(|kubeconfig| with_plugins(kubeconfig, path));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    let read = file.take(MAX_FILE + 1).read_to_string(&mut text);
    match read.map_err(failed)? as u64 {
        0..=MAX_FILE => Kubeconfig::from_yaml(&text),
        _ => Err(failed(io::Error::other("larger than 16 MiB"))),
    }
}

/// Resolves the relative paths of credential plugins against the folder of the kubeconfig. A command
/// without a `/` is searched for in `PATH`.
fn with_plugins(mut kubeconfig: Kubeconfig, path: &Path) -> Kubeconfig {
    let users = kubeconfig.auth_infos.iter_mut();
    let plugins = users.filter_map(|named| named.auth_info.as_mut()?.exec.as_mut());
    let commands = plugins.filter_map(|plugin| plugin.command.as_mut());
    for command in commands.filter(|command| command.contains('/')) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let resolved = folder.join(&*command);
        // A name without a folder would be searched for in PATH.
        let resolved = std::path::absolute(&resolved).unwrap_or(resolved);
        *command = resolved.to_string_lossy().into_owned();
    }
    kubeconfig
}

fn unreadable(path: &Path, error: KubeconfigError) -> ClusterError {
    let message = format!("cannot read the kubeconfig {}", path.display());
    let new = ClusterError::new(ClusterErrorKind::Kubeconfig, message);
    match error {
        // The message of this error repeats the path.
        KubeconfigError::ReadConfig(error, _) => new
            .caused_by(error)
            .with_help("name an existing file with --kubeconfig or KUBECONFIG"),
        error => new
            .caused_by(error)
            .with_help("`kubectl config view` shows what kubectl reads from it"),
    }
}

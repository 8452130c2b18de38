//! Asks the Go toolchain for the locations of the packages of a build, but only with `--go`,
//! because it may download modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::nri_module::{self, MODULE};
use super::build::Build;
use crate::sighting::Interface;
use crate::subprocess;

/// The time limit for the toolchain.
const MAX_TIME: Duration = Duration::from_secs(120);

/// The maximum size of its output in bytes.
const MAX_ANSWER: u64 = 64 << 20;

/// The format in which packages are listed: one per line, with fields separated by tabs.
const FORMAT: &str = "{{.ImportPath}}\t{{.Dir}}\t{{with .Module}}{{.Path}}\t{{.Version}}\t{{with .Replace}}{{.Path}}\t{{.Version}}{{end}}{{end}}";

/// The output of the toolchain for a build.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// The folders of packages, by import path.
    pub(super) folders: BTreeMap<String, PathBuf>,
    /// The release of NRI that is built; `None` for a fork or a folder.
    nri: Option<String>,
}

/// Lists the packages that a package in a folder is built from.
pub(super) fn list(folder: &Path) -> Result<Listed, String> {
    let mut go = Command::new("go");
    go.current_dir(folder)
        .args(["list", "-e", "-deps", "-f", FORMAT, "."])
        .envs([
            ("GOOS", "linux"),
            ("GOTOOLCHAIN", "local"),
            ("CGO_ENABLED", "0"),
        ]);
    let ended = subprocess::run(&mut go, &[], MAX_TIME, MAX_ANSWER)
        .map_err(|error| format!("cannot be run: {error}"))?
        .ok_or("takes too long")?;
    if !ended.status.success() {
        let stderr = String::from_utf8_lossy(&ended.stderr);
        let reason = stderr.lines().next().unwrap_or("no reason given");
        return Err(format!("fails: {}: {reason}", ended.status));
    }
    let answer = String::from_utf8(ended.stdout).map_err(|error| error.to_string())?;
    Ok(read(&answer))
}

fn read(answer: &str) -> Listed {
    let mut listed = Listed::default();
    for line in answer.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [path, folder, module @ ..] = &words[..] else {
            continue;
        };
        if let [MODULE, version, replaced @ ..] = module {
            listed.nri = match replaced {
                [MODULE, by] if !by.is_empty() => Some((*by).to_owned()),
                [] | [""] => Some((*version).to_owned()),
                _ => None,
            };
        } else if !module.is_empty() && !folder.is_empty() {
            listed
                .folders
                .insert((*path).to_owned(), PathBuf::from(folder));
        }
    }
    listed
        .folders
        .retain(|path, _| path.contains('.') || path.contains('/'));
    listed
}

impl Listed {
    /// Sets the release that the toolchain builds.
    pub(super) fn settle(&self, build: &mut Build) {
        if let Some(version) = &self.nri {
            build
                .evidence
                .push(format!("go list: builds {MODULE} {version}"));
            let interface = nri_module::interface(version);
            if !matches!(interface, Interface::Unknown(_)) {
                build.interface = interface;
                build.version = Some(version.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_folders_and_the_release() {
        let listed = read(
            "fmt\t/go/src/fmt\t\nx.example/a\t/src/a\tx.example\t\t\ngithub.com/containerd/nri/pkg/stub\t/m\tgithub.com/containerd/nri\tv0.6.1\tgithub.com/containerd/nri\tv0.11.0\n",
        );
        assert_eq!(listed.nri.as_deref(), Some("v0.11.0"));
        assert_eq!(
            listed.folders.get("x.example/a"),
            Some(&PathBuf::from("/src/a"))
        );
    }
}

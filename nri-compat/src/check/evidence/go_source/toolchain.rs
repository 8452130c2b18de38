//! Asks the Go toolchain for the locations of the packages of a build, but only with `--go`,
//! because it may download modules.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::super::nri_module::{self, MODULE};
use super::build::Build;
use crate::sighting::Interface;

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
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child = go
        .spawn()
        .map_err(|error| format!("cannot be run: {error}"))?;
    let answer = answer(child)?;
    Ok(read(&answer))
}

fn answer(mut child: Child) -> Result<String, String> {
    let output = child.stdout.take().ok_or("returns no output")?;
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        output
            .take(MAX_ANSWER)
            .read_to_string(&mut text)
            .map(|_| text)
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if start.elapsed() > MAX_TIME {
            let _ = child.kill();
            let _ = child.wait();
            return Err("takes too long".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = reading.join().map_err(|_| "returns no output")?;
    if !status.success() {
        return Err(format!("fails: {status}"));
    }
    text.map_err(|error| error.to_string())
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

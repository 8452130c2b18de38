//! Runs the real `buf breaking` and parses its output.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// An annotation in the form common to both tools. `file` is empty if buf does not name a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// Path of the file, relative to the root of its schema.
    pub file: String,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Id of the rule.
    pub rule: String,
}

/// An annotation with buf's words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Printed {
    /// Rule and place.
    pub annotation: Annotation,
    /// The message.
    pub message: String,
}

/// A line of buf's output with `--error-format json`.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    path: String,
    start_line: u32,
    start_column: u32,
    r#type: String,
    message: String,
}

/// A line of buf's list of rules.
#[derive(Deserialize)]
struct RuleLine {
    id: String,
    categories: BTreeSet<String>,
}

/// The buf with which the rules are compared.
pub struct Buf {
    program: PathBuf,
    /// buf treats a folder with inputs below the current one as a workspace, so it runs in an empty
    /// one.
    nowhere: tempfile::TempDir,
}

/// Returns the program for this machine among those that npm installed.
fn installed() -> Result<PathBuf, String> {
    let packages = crate::peers::target_folder().join("peers/buf/node_modules/@bufbuild");
    let entries =
        packages.read_dir().map_err(|error| format!("{}: {error}", packages.display()))?;
    let mut programs = entries.flatten().filter_map(|package| {
        let is_program = package.file_name().to_string_lossy().starts_with("buf-");
        is_program.then(|| package.path().join("bin/buf"))
    });
    programs.next().ok_or_else(|| format!("{}: no program of buf", packages.display()))
}

impl Buf {
    /// Returns the buf named by `NRI_BUF`, else the one that npm installed in `peers/buf` of the
    /// target folder: the program itself, not its launcher, which takes ten times as long.
    ///
    /// # Errors
    ///
    /// Returns an error if the program does not exist or does not run.
    pub fn find() -> Result<Self, String> {
        let program = match std::env::var_os("NRI_BUF") {
            Some(named) => named.into(),
            None => installed()?,
        };
        let nowhere = tempfile::tempdir().map_err(|error| error.to_string())?;
        let buf = Self { program, nowhere };
        let version = buf.run(&["--version"])?;
        (version.trim() == "1.75.0")
            .then_some(buf)
            .ok_or_else(|| format!("the rules are held against buf 1.75.0, this is {version}"))
    }

    /// Returns the annotations of `buf breaking` for a move from one folder or descriptor set to
    /// another.
    ///
    /// # Errors
    ///
    /// Returns an error with the message of buf if it refuses an input.
    pub fn breaking(
        &self,
        from: &Path,
        to: &Path,
        categories: &[&str],
    ) -> Result<Vec<Printed>, String> {
        let config =
            format!(r#"{{"version":"v2","breaking":{{"use":["{}"]}}}}"#, categories.join("\",\""));
        let (from, to) = (path(from)?, path(to)?);
        let output = self.run(&[
            "breaking",
            &to,
            "--against",
            &from,
            "--config",
            &config,
            "--error-format",
            "json",
        ])?;
        let mut printed: Vec<Printed> =
            output.lines().map(|line| annotation(line, &to)).collect::<Result<_, _>>()?;
        // A schema that does not compile is reported in the same way.
        if let Some(error) = printed.iter().find(|printed| printed.annotation.rule == "COMPILE") {
            return Err(format!("buf: {error:?}"));
        }
        printed.sort();
        Ok(printed)
    }

    /// Returns the ids of buf's rules, each with its categories.
    ///
    /// # Errors
    ///
    /// Returns an error if buf prints something else.
    pub fn rules(&self) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
        let list = ["config", "ls-breaking-rules", "--version", "v2"];
        let output =
            self.run(&[&list[..], &["--include-deprecated", "--format", "json"]].concat())?;
        output.lines().map(rule).collect()
    }

    /// Compiles a folder of protos to a descriptor set.
    ///
    /// # Errors
    ///
    /// Returns an error with the message of buf if it refuses the folder.
    pub fn build(&self, folder: &Path, set: &Path, source_info: bool) -> Result<(), String> {
        let (folder, set) = (path(folder)?, set.display().to_string());
        let flag = format!("--exclude-source-info={}", !source_info);
        self.run(&["build", &folder, "--output", &set, &flag]).map(drop)
    }

    /// buf exits with 100 if it has findings.
    fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new(&self.program)
            .args(arguments)
            .current_dir(self.nowhere.path())
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        match output.status.code() {
            Some(0 | 100) => String::from_utf8(output.stdout).map_err(|error| error.to_string()),
            _ => {
                Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
            }
        }
    }
}

fn path(path: &Path) -> Result<String, String> {
    let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    path.to_str().map(str::to_owned).ok_or_else(|| format!("{}: not UTF-8", path.display()))
}

/// Returns the id and the categories of the rule in a line of buf's.
fn rule(line: &str) -> Result<(String, BTreeSet<String>), String> {
    let RuleLine { id, categories } =
        serde_json::from_str(line).map_err(|error| format!("buf printed {line}: {error}"))?;
    Ok((id, categories))
}

fn annotation(line: &str, root: &str) -> Result<Printed, String> {
    let Line { path, start_line, start_column, r#type, message } =
        serde_json::from_str(line).map_err(|error| format!("buf printed {line}: {error}"))?;
    let file = path.strip_prefix(root).map_or(path.as_str(), |file| file.trim_start_matches('/'));
    let annotation =
        Annotation { file: file.to_owned(), line: start_line, column: start_column, rule: r#type };
    Ok(Printed { annotation, message })
}

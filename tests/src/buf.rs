//! Runs the real `buf breaking` and reads what it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// One annotation as both tools can express it. `file` is empty where buf points at none.
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

/// What buf prints, a line each, with `--error-format json`.
#[derive(Deserialize)]
struct Printed {
    #[serde(default)]
    path: String,
    start_line: u32,
    start_column: u32,
    r#type: String,
}

/// The buf to hold the rules against.
pub struct Buf {
    program: PathBuf,
    /// buf takes a folder with inputs below the current one for a workspace, so it runs in an empty one.
    nowhere: tempfile::TempDir,
}

impl Buf {
    /// The buf named by `NRI_BUF`, else the one that npm installed in `target/peers/buf`.
    ///
    /// # Errors
    ///
    /// When there is none at that path, or it does not run.
    pub fn find() -> Result<Self, String> {
        let installed =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/buf/node_modules/.bin/buf");
        let program = std::env::var_os("NRI_BUF").map_or(installed, PathBuf::from);
        let nowhere = tempfile::tempdir().map_err(|error| error.to_string())?;
        let buf = Self { program, nowhere };
        let version = buf.run(&["--version"])?;
        (version.trim() == "1.75.0")
            .then_some(buf)
            .ok_or_else(|| format!("the rules are held against buf 1.75.0, this is {version}"))
    }

    /// The annotations of `buf breaking` for a move from one folder or descriptor set to another.
    ///
    /// # Errors
    ///
    /// When buf refuses an input, with what it says.
    pub fn breaking(
        &self,
        from: &Path,
        to: &Path,
        categories: &[&str],
    ) -> Result<Vec<Annotation>, String> {
        let config = format!(
            r#"{{"version":"v2","breaking":{{"use":["{}"]}}}}"#,
            categories.join("\",\"")
        );
        let (from, to) = (path(from)?, path(to)?);
        let printed = self.run(&[
            "breaking",
            &to,
            "--against",
            &from,
            "--config",
            &config,
            "--error-format",
            "json",
        ])?;
        let mut annotations: Vec<_> = printed
            .lines()
            .map(|line| annotation(line, &to))
            .collect::<Result<_, _>>()?;
        annotations.sort();
        Ok(annotations)
    }

    /// buf exits with 100 when it found something.
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
    let path = path
        .canonicalize()
        .map_err(|error| format!("{}: {error}", path.display()))?;
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("{}: not UTF-8", path.display()))
}

fn annotation(line: &str, root: &str) -> Result<Annotation, String> {
    let printed: Printed =
        serde_json::from_str(line).map_err(|error| format!("buf printed {line}: {error}"))?;
    let file = printed
        .path
        .strip_prefix(root)
        .map_or(printed.path.as_str(), |file| file.trim_start_matches('/'));
    Ok(Annotation {
        file: file.to_owned(),
        line: printed.start_line,
        column: printed.start_column,
        rule: printed.r#type,
    })
}

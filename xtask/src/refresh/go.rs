//! The `go` command: what it knows of modules, without a module of our own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use semver::Version;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A release of a module.
pub(super) struct ListedModule {
    /// Its `go.mod`, in the cache.
    pub(super) go_mod: PathBuf,
    /// The day of the release in UTC, `YYYY-MM-DD`.
    pub(super) date: String,
}

/// The answer of `go list -m -json`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct GoModule {
    versions: Vec<String>,
    time: String,
    go_mod: PathBuf,
}

/// The answer of `go mod edit -json`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct GoMod {
    require: Option<Vec<NamedVersion>>,
    replace: Option<Vec<Replace>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Replace {
    old: NamedVersion,
    new: NamedVersion,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NamedVersion {
    path: String,
    version: Option<String>,
}

/// Returns the final releases of a module, ascending.
pub(super) fn releases(module: &str) -> Result<Vec<Version>, String> {
    let listed: GoModule = run(&["list", "-m", "-versions", "-json", module])?;
    let mut versions: Vec<Version> = listed
        .versions
        .iter()
        .filter_map(|version| Version::parse(version.strip_prefix('v')?).ok())
        .filter(|version| version.pre.is_empty() && version.build.is_empty())
        .collect();
    versions.sort();
    Ok(versions)
}

/// Returns a release of a module, after it fetched its `go.mod`.
pub(super) fn describe(module: &str, release: &str) -> Result<ListedModule, String> {
    let release = format!("{module}@{release}");
    let listed: GoModule = run(&["list", "-m", "-json", &release])?;
    match listed.time.get(..10) {
        Some(date) if listed.go_mod.is_file() => {
            Ok(ListedModule { date: date.to_owned(), go_mod: listed.go_mod })
        }
        _ => Err(format!("{release} has no time, or no go.mod")),
    }
}

/// Returns the version of `module` that a `go.mod` builds with.
pub(super) fn required(go_mod: &Path, module: &str) -> Result<String, String> {
    let path = go_mod.display().to_string();
    let read: GoMod = run(&["mod", "edit", "-json", &path])?;
    let required = read
        .require
        .into_iter()
        .flatten()
        .find(|required| required.path == module)
        .and_then(|required| required.version)
        .ok_or_else(|| format!("does not require {module}"))?;
    let replaced = read.replace.into_iter().flatten().find(|replace| {
        let version = replace.old.version.as_ref();
        replace.old.path == module && version.is_none_or(|version| *version == required)
    });
    match replaced {
        None => Ok(required),
        Some(Replace { new, .. }) if new.path == module => Ok(new.version.unwrap_or(required)),
        Some(Replace { new, .. }) => Err(format!("replaces {module} by {}", new.path)),
    }
}

/// Runs `go` in a folder without a module, and reads its answer.
fn run<T: DeserializeOwned>(arguments: &[&str]) -> Result<T, String> {
    let output = Command::new("go")
        .args(arguments)
        // A module around the working folder would limit the versions that are found.
        .current_dir(std::env::temp_dir())
        .env("GO111MODULE", "on")
        .env("GOWORK", "off")
        .env("GOFLAGS", "-mod=mod")
        .env("GOTOOLCHAIN", "local")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start the `go` command: {error}"))?;
    if !output.status.success() {
        let printed = String::from_utf8_lossy(&output.stderr);
        let words = printed.trim().lines().next();
        return Err(words.unwrap_or("it failed without a message").to_owned());
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cannot read the answer of `go {}`: {error}", arguments.join(" ")))
}

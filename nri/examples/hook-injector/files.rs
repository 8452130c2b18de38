//! Reads the files that describe hooks.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use nri::adjust::HookStage;
use nri::api::Hook;
use regex::Regex;
use serde::Deserialize;

use super::condition::When;

/// A hook with its conditions and stages.
pub(crate) struct HookFile {
    pub(crate) name: String,
    pub(crate) hook: Hook,
    pub(crate) when: When,
    pub(crate) stages: Vec<HookStage>,
}

/// A file of version 1.0.0.
#[derive(Deserialize)]
struct Current {
    hook: OciHook,
    #[serde(default)]
    when: Conditions,
    stages: Vec<String>,
}

/// A hook as in an OCI runtime configuration.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OciHook {
    path: String,
    args: Vec<String>,
    env: Vec<String>,
    timeout: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Conditions {
    always: Option<bool>,
    annotations: BTreeMap<String, String>,
    commands: Vec<String>,
    has_bind_mounts: Option<bool>,
}

/// A file of version 0.1.0.
#[derive(Deserialize)]
struct Old {
    hook: String,
    arguments: Option<Vec<String>>,
    #[serde(alias = "stage")]
    stages: Vec<String>,
    #[serde(default, alias = "cmd")]
    cmds: Vec<String>,
    #[serde(default, alias = "annotation")]
    annotations: Vec<String>,
    hasbindmounts: Option<bool>,
}

/// A file whose version is still to be looked at.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default)]
    version: String,
}

impl From<Old> for Current {
    fn from(old: Old) -> Self {
        let arguments = old.arguments.map(|arguments| {
            let program = [old.hook.clone()];
            program.into_iter().chain(arguments).collect()
        });
        let any_key = |patterns: Vec<String>| (".*".to_owned(), patterns.join("|"));
        let annotations = (!old.annotations.is_empty()).then_some(old.annotations);
        Current {
            hook: OciHook {
                path: old.hook,
                args: arguments.unwrap_or_default(),
                ..OciHook::default()
            },
            when: Conditions {
                always: None,
                annotations: annotations.map(any_key).into_iter().collect(),
                commands: old.cmds,
                has_bind_mounts: old.hasbindmounts,
            },
            stages: old.stages,
        }
    }
}

/// Reads all files in these folders, sorted by name without regard to case. A folder that does not
/// exist is empty.
pub(crate) fn read(folders: &[PathBuf]) -> nri::Result<Vec<nri::Result<HookFile>>> {
    let mut files = BTreeMap::new();
    for folder in folders {
        for path in list(folder).map_err(|error| invalid(folder, &error))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            files.insert((name.to_lowercase(), name.into_owned()), path);
        }
    }
    let read = files.into_iter().map(|((_, name), path)| {
        let text = fs::read(&path).map_err(|error| invalid(&path, &error))?;
        parse(name, &text).map_err(|error| invalid(&path, &error))
    });
    Ok(read.collect())
}

/// Returns the paths of the JSON files in a folder.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    Ok(paths)
}

fn invalid(path: &Path, error: &dyn Display) -> nri::Error {
    let message = format!("{}: {error}", path.display());
    nri::Error::with_kind(nri::ErrorKind::Config, message)
}

/// Parses and checks a file.
fn parse(name: String, text: &[u8]) -> Result<HookFile, String> {
    let json = |error: serde_json::Error| error.to_string();
    let Versioned { version } = serde_json::from_slice(text).map_err(json)?;
    let (file, any) = match version.as_str() {
        "1.0.0" => (serde_json::from_slice::<Current>(text).map_err(json)?, false),
        "" | "0.1.0" => {
            let old: Old = serde_json::from_slice(text).map_err(json)?;
            (old.into(), true)
        }
        other => return Err(format!("unknown version {other:?}")),
    };
    if !Path::new(&file.hook.path).exists() {
        return Err(format!("the hook {:?} does not exist", file.hook.path));
    }
    let stages: Result<_, _> = file.stages.iter().map(|listed| stage(listed)).collect();
    Ok(HookFile { name, hook: hook(file.hook), when: conditions(file.when, any)?, stages: stages? })
}

/// Returns the stage with this name. Hooks of the deprecated stage `prestart` run at
/// `createRuntime`.
fn stage(name: &str) -> Result<HookStage, String> {
    match HookStage::ALL.iter().copied().find(|stage| stage.name() == name) {
        Some(HookStage::Prestart) => Ok(HookStage::CreateRuntime),
        Some(stage) => Ok(stage),
        None => Err(format!("unknown stage {name:?}")),
    }
}

fn hook(hook: OciHook) -> Hook {
    Hook { path: hook.path, args: hook.args, env: hook.env, timeout: hook.timeout }
}

fn conditions(conditions: Conditions, any: bool) -> Result<When, String> {
    let pattern = |text: &str| Regex::new(text).map_err(|error| error.to_string());
    let annotations: Result<_, String> = conditions
        .annotations
        .iter()
        .map(|(key, value)| Ok((pattern(key)?, pattern(value)?)))
        .collect();
    let commands: Result<_, String> =
        conditions.commands.iter().map(|text| pattern(text)).collect();
    Ok(When {
        always: conditions.always,
        annotations: annotations?,
        commands: commands?,
        has_bind_mounts: conditions.has_bind_mounts,
        any,
    })
}

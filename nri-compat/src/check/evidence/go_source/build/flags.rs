//! Settings of the Go toolchain that select another module file, another workspace or other
//! sources.

use std::path::PathBuf;
use std::{env, fs};

/// The maximum size of the settings file.
const MAX_ENV: u64 = 1 << 20;

/// `GOFLAGS` and `GOWORK`, from the environment or the toolchain's own file of settings.
#[derive(Clone, Debug, Default)]
pub(in crate::check) struct Settings {
    /// The value of `-modfile`.
    pub(in crate::check) modfile: Option<String>,
    /// The value of `GOWORK`, unless it is empty.
    pub(in crate::check) workspace: Option<String>,
    /// Settings whose effect is not followed.
    pub(in crate::check) doubts: Vec<String>,
}

impl Settings {
    /// Returns the settings that apply to a build by this user.
    pub(in crate::check) fn of_process() -> Self {
        let file = file().and_then(|path| {
            let small =
                fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= MAX_ENV);
            small.then(|| fs::read_to_string(path).ok()).flatten()
        });
        let value = |name: &str| match env::var(name) {
            Ok(value) if !value.is_empty() => Some(value),
            _ => file.as_deref().and_then(|text| setting(text, name)),
        };
        Self::of(value("GOFLAGS").as_deref(), value("GOWORK").as_deref())
    }

    /// Parses the values of `GOFLAGS` and `GOWORK`.
    pub(in crate::check) fn of(flags: Option<&str>, workspace: Option<&str>) -> Self {
        let mut settings = Self {
            workspace: workspace
                .filter(|value| !value.is_empty())
                .map(str::to_owned),
            ..Self::default()
        };
        for flag in flags.unwrap_or_default().split_whitespace() {
            let flag = flag.trim_matches(['\'', '"']).trim_start_matches('-');
            match flag.split_once('=') {
                Some(("modfile", path)) => settings.modfile = Some(path.to_owned()),
                Some(("overlay", _)) => {
                    settings
                        .doubts
                        .push("GOFLAGS has -overlay, which replaces sources".to_owned());
                }
                _ => {}
            }
        }
        settings
    }
}

/// Returns the file that `go env -w` writes.
fn file() -> Option<PathBuf> {
    if let Some(path) = env::var_os("GOENV").filter(|path| !path.is_empty()) {
        return (path != "off").then(|| PathBuf::from(path));
    }
    let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".config")))?;
    Some(config.join("go/env"))
}

/// Returns the value of `NAME=value` in a file of settings.
fn setting(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_choose_module_files() {
        let settings = Settings::of(
            Some("-mod=mod '-modfile=a/old.mod'  --overlay=x.json"),
            Some(""),
        );
        assert_eq!(settings.modfile.as_deref(), Some("a/old.mod"));
        assert_eq!((settings.workspace, settings.doubts.len()), (None, 1));
        let text = "GOFLAGSX=a\nGOFLAGS=-modfile=b.mod\n";
        assert_eq!(setting(text, "GOFLAGS").as_deref(), Some("-modfile=b.mod"));
    }
}

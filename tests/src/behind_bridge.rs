//! A plugin behind `nri-bridge`, as a runtime launches both.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use nri_conformance::subject::{Executable, Subject};
use tempfile::TempDir;

/// The name of the plugin in the plugin folder.
const NAME: &str = "20-bridged";

/// A plugin folder, in which the bridge stands for a plugin.
#[derive(Debug)]
pub struct BehindBridge(TempDir);

impl BehindBridge {
    /// Replaces a plugin with the bridge, which starts it with these arguments.
    ///
    /// # Panics
    ///
    /// Panics if the folder cannot be written.
    #[must_use]
    pub fn new(bridge: &Path, plugin: &Path, arguments: &[String]) -> Self {
        // Beside the bridge, with links to both: a copy may still be open for writing when it is
        // executed, if another thread has started a process meanwhile.
        let parent = bridge.parent().expect("a file has a folder");
        let folder = tempfile::tempdir_in(parent).expect("target folder is writable");
        fs::hard_link(bridge, folder.path().join(NAME)).expect("target folder is writable");
        let beside = folder.path().join(format!("{NAME}.bridge"));
        fs::create_dir(&beside).expect("target folder is writable");
        let program = beside.join(NAME);
        if arguments.is_empty() {
            fs::hard_link(plugin, &program).expect("target folder is writable");
        } else {
            fs::write(&program, script_of(plugin, arguments)).expect("target folder is writable");
        }
        for path in [&beside, &program] {
            fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it is ours");
        }
        Self(folder)
    }

    /// Returns the plugin folder, which holds nothing else.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the bridge, for a runtime to launch.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.0.path().join(NAME)
    }

    /// Returns both as one plugin that a runtime launches.
    #[must_use]
    pub fn subject(&self) -> Subject {
        Subject::launched(Executable::new(self.program()))
    }
}

/// Returns a script that becomes the plugin. A launched plugin has no arguments otherwise.
fn script_of(plugin: &Path, arguments: &[String]) -> String {
    let plugin = plugin.display().to_string();
    let words: Vec<String> = std::iter::once(&plugin)
        .chain(arguments)
        .map(|word| format!("'{}'", word.replace('\'', r"'\''")))
        .collect();
    format!("#!/bin/sh\nexec {}\n", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_reach_the_plugin_as_they_are() {
        let script = script_of(Path::new("/bin/echo"), &["a b".to_owned(), "it's".to_owned()]);
        assert_eq!(script, "#!/bin/sh\nexec '/bin/echo' 'a b' 'it'\\''s'\n");
    }
}

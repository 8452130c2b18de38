//! The location of the plugin behind a launched bridge.
//!
//! A runtime launches `NN-name` in its plugin folder, which is the bridge or a link to it. The
//! plugin has the same name in the folder `NN-name.bridge` beside it, which runtimes pass over
//! because it is a folder:
//!
//! ```text
//! /opt/nri/plugins/10-old              the bridge
//! /opt/nri/plugins/10-old.bridge/10-old   the plugin
//! ```

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// The ending of the folder with the plugin.
const FOLDER: &str = "bridge";

/// Returns the path of the plugin for the bridge that was launched with this path.
///
/// # Errors
///
/// Returns an error if there is no plugin, if it is not executable, or if others than root and the
/// user of the bridge could replace it.
pub fn plugin_of(bridge: &Path) -> Result<PathBuf, Error> {
    let name = bridge.file_name().unwrap_or_default();
    let mut folder = bridge.as_os_str().to_owned();
    folder.push(".");
    folder.push(FOLDER);
    let folder = PathBuf::from(folder);
    let plugin = folder.join(name);
    let checked = |path: &Path| {
        let file = fs::metadata(path).map_err(|error| {
            let missing = Error::of_path(ErrorKind::Config, "cannot find the plugin", path, error);
            missing.with_help(format!("move the plugin to {}", plugin.display()))
        })?;
        check(path, &file).map(|()| file)
    };
    checked(&folder)?;
    let file = checked(&plugin)?;
    if !file.is_file() || file.permissions().mode() & 0o111 == 0 {
        let message = format!("{} is not an executable file", plugin.display());
        let help = format!("run `chmod 755 {}`", plugin.display());
        return Err(Error::new(ErrorKind::Config, message).with_help(help));
    }
    Ok(plugin)
}

/// Checks that only root and the user of the bridge can replace a file.
fn check(path: &Path, file: &Metadata) -> Result<(), Error> {
    let user = rustix::process::geteuid().as_raw();
    let path = path.display();
    if file.uid() != 0 && file.uid() != user {
        let message = format!("{path} belongs to user {}, who could replace it", file.uid());
        return Err(
            Error::new(ErrorKind::Config, message).with_help(format!("run `chown root: {path}`"))
        );
    }
    if file.permissions().mode() & 0o022 != 0 {
        let message = format!("{path} can be replaced by users other than its owner");
        return Err(
            Error::new(ErrorKind::Config, message).with_help(format!("run `chmod go-w {path}`"))
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    }

    #[test]
    fn the_plugin_has_the_same_name_in_the_folder_beside_the_bridge() {
        let folder = tempfile::tempdir().expect("a folder");
        let bridge = folder.path().join("10-old");
        let help = |error: Error| error.help().expect("there is help").to_owned();
        assert!(
            help(plugin_of(&bridge).expect_err("nothing there")).contains("10-old.bridge/10-old")
        );
        let beside = folder.path().join("10-old.bridge");
        fs::create_dir(&beside).expect("created");
        let plugin = beside.join("10-old");
        fs::write(&plugin, "").expect("written");
        set_mode(&beside, 0o755);
        set_mode(&plugin, 0o644);
        assert!(help(plugin_of(&bridge).expect_err("not executable")).contains("chmod 755"));
        set_mode(&plugin, 0o755);
        assert_eq!(plugin_of(&bridge).expect("all is well"), plugin);
        for path in [&plugin, &beside] {
            set_mode(path, 0o775);
            assert!(help(plugin_of(&bridge).expect_err("writable")).contains("chmod go-w"));
            set_mode(path, 0o755);
        }
    }
}

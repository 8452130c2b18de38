//! Plugins that the runtime starts: executables and WebAssembly modules `NN-name` in a directory.

mod process;
mod spawn;

use std::fs::{DirEntry, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use nri::{Error, ErrorKind, Result};

use super::revision::Revision;
use nri::{InvalidPluginId, PluginId};

pub(super) use process::{Process, Processes};
pub use spawn::pass_socket;
pub(super) use spawn::spawn;

/// Largest drop-in configuration in bytes: Configure has to fit into a message.
const MAX_CONFIG: u64 = 3 << 20;

/// The first bytes of a WebAssembly module: the magic number and version 1.
const MODULE: [u8; 8] = *b"\0asm\x01\0\0\0";

/// An executable to start, or a module to load.
#[derive(Debug)]
pub(super) struct PluginFile {
    pub(super) id: PluginId,
    pub(super) path: PathBuf,
    pub(super) config: String,
}

impl PluginFile {
    /// Returns true if the file is a WebAssembly module, regardless of its name.
    pub(super) fn is_module(&self) -> bool {
        let mut start = [0; MODULE.len()];
        let read = File::open(&self.path).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && start == MODULE
    }
}

/// Finds the plugins in a directory, in the order of their file names. A directory that does not
/// exist has none.
///
/// # Errors
///
/// As in the
/// [reference](https://github.com/containerd/nri/blob/v0.12.5/pkg/adaptation/adaptation.go), an
/// executable whose name is not `NN-name`, or a configuration that cannot be read, is an error.
pub(super) fn discover(
    plugins: &Path,
    configs: &Path,
    revision: &Revision,
) -> Result<Vec<PluginFile>> {
    let entries = match plugins.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| failed(plugins, &error))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| failed(plugins, &error))?;
        if is_executable(&entry) {
            found.push(read(&entry, configs, revision)?);
        } else if entry.path().is_file() {
            let file = entry.path();
            let path = file.display();
            tracing::warn!("ignoring {path}: not executable; for a plugin, run `chmod +x {path}`");
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn is_executable(entry: &DirEntry) -> bool {
    let executable = |file: &Metadata| file.permissions().mode() & 0o111 != 0;
    // Follows symbolic links, which plugins are often installed as.
    let file = entry.path().metadata();
    file.is_ok_and(|file| file.is_file() && executable(&file))
}

fn read(entry: &DirEntry, configs: &Path, revision: &Revision) -> Result<PluginFile> {
    let path = entry.path();
    let file = entry.file_name();
    let id = plugin_id(&file.to_string_lossy(), revision)
        .map_err(|invalid| failed(&path, &invalid).with_help(invalid.help()))?;
    let config = drop_in(configs, &id)?;
    tracing::info!("discovered plugin {id}");
    Ok(PluginFile { id, path, config })
}

/// Splits and checks the file name of an executable, `NN-name`.
fn plugin_id(file: &str, revision: &Revision) -> std::result::Result<PluginId, InvalidPluginId> {
    let (index, name) =
        file.split_once('-').ok_or_else(|| InvalidPluginId::NoIndex(file.to_owned()))?;
    revision.plugin_id(index, name)
}

/// Reads the configuration of a plugin: `NN-name.conf`, else `name.conf`, else nothing.
fn drop_in(configs: &Path, id: &PluginId) -> Result<String> {
    for name in [format!("{id}.conf"), format!("{}.conf", id.name)] {
        let path = configs.join(name);
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(&path, &error)),
            Ok(file) if file.len() > MAX_CONFIG => {
                let size = file.len();
                let reason = format!("{size} bytes, at most {MAX_CONFIG} are read");
                return Err(failed(&path, &reason));
            }
            Ok(_) => {
                return std::fs::read_to_string(&path).map_err(|error| failed(&path, &error));
            }
        }
    }
    Ok(String::new())
}

fn failed(path: &Path, reason: &dyn std::fmt::Display) -> Error {
    let message = format!("failed to discover plugins: {}: {reason}", path.display());
    Error::with_kind(ErrorKind::Config, message)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn install(dir: &Path, name: &str, mode: u32) {
        let path = dir.join(name);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn executables_are_found_with_their_configuration() {
        let (plugins, configs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let discovered = |folder: &Path| discover(folder, configs.path(), &Revision::newest());
        for (name, mode) in [("20-b", 0o755), ("10-a", 0o755), ("README", 0o644)] {
            install(plugins.path(), name, mode);
        }
        fs::create_dir(plugins.path().join("30-dir")).unwrap();
        for (name, config) in [("a", "for a"), ("b", "for b"), ("20-b", "for 20-b")] {
            fs::write(configs.path().join(format!("{name}.conf")), config).unwrap();
        }
        let found: Vec<_> = discovered(plugins.path())
            .unwrap()
            .iter()
            .map(|it| format!("{}: {}", it.id, it.config))
            .collect();
        assert_eq!(found, ["10-a: for a", "20-b: for 20-b"]);
        install(plugins.path(), "logger", 0o755);
        let error = discovered(plugins.path()).unwrap_err().to_string();
        assert!(error.contains("must be idx-pluginname"), "{error}");
        let missing = discovered(Path::new("/nonexistent/plugins"));
        assert!(missing.unwrap().is_empty());
    }
}

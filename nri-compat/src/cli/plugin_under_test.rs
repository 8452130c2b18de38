//! The plugin that a command starts: its executable, arguments and environment.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nri_conformance::subject::{Executable, Listener, Subject, adopt_orphans};

use crate::error::{Error, ErrorKind};
use crate::report::visible;
use crate::text_file;

/// The maximum size of the configuration of a plugin in bytes: that of a message.
const MAX_CONFIG: u64 = 4 << 20;

/// Options of commands that start a plugin.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct PluginUnderTestArgs {
    /// The executable of the plugin. It is started as a runtime would start it: with a cleared
    /// environment, in a temporary folder.
    #[arg(required_unless_present = "wait")]
    plugin: Option<PathBuf>,
    /// Arguments of the plugin. A plugin with arguments is started as an external one, which
    /// connects to the socket on its own, unless --launched is given. `{socket}` stands for the
    /// path of the socket.
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
    /// Start the plugin as an external one, which connects to the socket that NRI_SOCKET names.
    #[arg(long)]
    external: bool,
    /// Start a plugin with arguments as a runtime launches one: with its connection, name and
    /// index.
    #[arg(long, conflicts_with_all = ["external", "wait"])]
    launched: bool,
    /// Start nothing, and wait for a plugin to connect to this socket.
    #[arg(long, value_name = "SOCKET", conflicts_with_all = ["plugin", "external", "isolate", "env"])]
    wait: Option<PathBuf>,
    /// Do not pass a name and an index to the plugin, because it has its own.
    #[arg(long, conflicts_with = "wait")]
    own_identity: bool,
    /// Folder that the plugin uses in place of the root of the file system, for plugins that change
    /// the machine. Passed in NRI_DRY_ROOT, and in place of `{dry-root}` in arguments.
    #[arg(long, value_name = "FOLDER", conflicts_with = "wait")]
    dry_root: Option<PathBuf>,
    /// Run the plugin in its own user and mount namespaces.
    #[arg(long)]
    isolate: bool,
    /// A variable for the environment of the plugin. `{socket}` stands for the path of the socket.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(OsString, OsString)>,
    /// File with the configuration that is sent to the plugin.
    #[arg(long, value_name = "FILE")]
    plugin_config: Option<PathBuf>,
}

impl PluginUnderTestArgs {
    /// Returns the plugin, and announces its execution. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, or if listening on the socket fails.
    pub(super) fn subject(&self) -> Result<Subject, Error> {
        if let Some(socket) = &self.wait {
            let listener = Listener::bind(socket)?;
            announce(&format!("waiting for a plugin at {}", socket.display()));
            return Ok(Subject::waiting(listener));
        }
        let mut executable = Executable::new(self.path()?).args(&self.arguments);
        executable.env = self.env.clone();
        executable.own_identity = self.own_identity;
        executable.isolate = self.isolate;
        executable.dry_root = self.dry_root.clone();
        announce(&format!("executing {}", executable.path.display()));
        // If the kernel refuses, only processes that detach from their parent can outlive the
        // plugin.
        let _ = adopt_orphans();
        let connects = self.external || !(self.arguments.is_empty() || self.launched);
        Ok(if connects { Subject::external(executable) } else { Subject::launched(executable) })
    }

    /// Returns the path of the executable or of the socket, as given.
    pub(super) fn place(&self) -> String {
        let path = self.plugin.as_ref().or(self.wait.as_ref());
        path.map_or_else(String::new, |path| path.display().to_string())
    }

    /// Returns the absolute path, because the plugin runs in another folder.
    pub(super) fn path(&self) -> Result<PathBuf, Error> {
        let path = self.plugin.as_deref().unwrap_or(Path::new(""));
        let found = path.canonicalize();
        found.map_err(Error::cannot("execute", path, ErrorKind::Input))
    }

    /// Returns the configuration for the plugin; `None` without a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub(super) fn config(&self) -> Result<Option<String>, Error> {
        let path = self.plugin_config.as_ref();
        path.map(|path| text_file::read(path, MAX_CONFIG, ErrorKind::Input)).transpose()
    }
}

/// Prints an action of the command that affects the machine to standard error.
fn announce(fact: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", visible(fact));
}

fn variable(text: &str) -> Result<(OsString, OsString), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        Some(_) | None => Err("not of the form NAME=VALUE".to_owned()),
    }
}

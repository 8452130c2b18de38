//! A configuration file that is read again when it changes.
//!
//! A [`ConfigWatch`] reads the file at SIGHUP, and within two seconds after the file was changed or
//! replaced, also through the symbolic link of a ConfigMap. A file that is invalid or missing is
//! named in a warning, and the settings stay as they are.
//!
//! Settings that existing containers have as well are sent to them as unsolicited updates, by
//! [`ConfigWatch::reconcile`] in the hooks of [`Connection`](crate::plugin::Connection):
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use nri::prelude::*;
//! use nri::reload::ConfigWatch;
//! use nri::store::PodStore;
//! use nri_testing as testing;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "shares", index = "10")]
//! struct Shares {
//!     shares: ConfigWatch<u64>,
//!     store: Arc<PodStore>,
//! }
//!
//! impl CreateContainer for Shares {
//!     async fn create_container(&self, _: &EventContext, _: PodSandbox, _: Container) -> nri::Result<Adjustment> {
//!         Ok(Adjustment::new().cpu_shares(*self.shares.get()))
//!     }
//! }
//!
//! impl Connection for Shares {
//!     async fn on_connect(&self, cx: &EventContext) {
//!         let update = |id: &String, shares| ContainerUpdate::new(id).cpu_shares(shares).ignore_failure();
//!         let updates = |shares: &u64| self.store.containers().iter().map(|it| update(&it.id, *shares)).collect();
//!         self.shares.reconcile(cx, updates).await;
//!     }
//!
//!     async fn on_reconnect(&self, cx: &EventContext) {
//!         self.on_connect(cx).await;
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = tempfile::NamedTempFile::new()?;
//! std::fs::write(&file, "1024")?;
//! // With the feature `cli`: `let shares = flags.watch_config(str::parse)?;`
//! let shares = ConfigWatch::of_file(file.path(), str::parse)?;
//! let store = Arc::new(PodStore::new());
//! let plugin = Shares { shares, store: Arc::clone(&store) };
//! let mut runtime = testing::Runtime::new().start_with(plugin, |stub| stub.store(store)).await?;
//! let created = runtime.create_in_pod(testing::pod("web").container("app")).await?;
//!
//! std::fs::write(&file, "plenty")?;
//! runtime.advance(Duration::from_secs(3)).await;
//! assert!(runtime.requested().is_empty(), "not a number: a warning says so, and the plugin keeps 1024");
//! std::fs::write(&file, "512")?;
//! runtime.advance(Duration::from_secs(3)).await;
//! let update = ContainerUpdate::new(&created.id).cpu_shares(512).ignore_failure();
//! assert_eq!(runtime.requested()[0].updates, [update]);
//! # Ok(())
//! # }
//! ```

use std::fmt::Display;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::adjust::Updates;
use crate::{Error, ErrorKind, EventContext, Result};

/// The time between two looks at the file.
const INTERVAL: Duration = Duration::from_secs(2);

/// The maximum size of a configuration file, which is that of a message of NRI.
const MAX_BYTES: u64 = 4 << 20;

/// Settings from a file, which change when the file does. Clones share the file.
///
/// The file is read on the tokio runtime, until all clones are dropped. [`from`](Self::from) makes
/// settings of a value instead:
///
/// ```
/// use nri::reload::ConfigWatch;
///
/// let shares = ConfigWatch::from(1024_u64);
/// assert_eq!(*shares.get(), 1024);
/// ```
#[derive(Debug)]
pub struct ConfigWatch<T>(watch::Receiver<Arc<T>>);

impl<T> Clone for ConfigWatch<T> {
    fn clone(&self) -> Self {
        ConfigWatch(self.0.clone())
    }
}

/// Settings that never change, for tests and for plugins without a file:
/// `ConfigWatch::from(Settings::default())`. They need no tokio runtime.
impl<T> From<T> for ConfigWatch<T> {
    fn from(settings: T) -> Self {
        ConfigWatch(watch::Sender::new(Arc::new(settings)).subscribe())
    }
}

impl<T: Send + Sync + 'static> ConfigWatch<T> {
    /// Reads the file with a function such as `|text| toml::from_str(text)`, and reads it again at
    /// SIGHUP and when it changes.
    ///
    /// The closure is needed: `toml::from_str` alone borrows from one text, and each version of the
    /// file is another.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if the file cannot be read, is larger than 4 MiB, or is
    /// invalid; and an error outside of a tokio runtime, or if the process cannot listen for
    /// signals.
    ///
    /// # Panics
    ///
    /// Panics in a tokio runtime without I/O or time. [`block_on`](crate::block_on) has both, as
    /// `#[tokio::main]` does.
    pub fn of_file<E: Display>(
        path: impl Into<PathBuf>,
        parser: impl Fn(&str) -> Result<T, E> + Send + 'static,
    ) -> Result<Self> {
        // The bound asks for a function for texts of any lifetime. `toml::from_str::<'de, T>` has
        // its lifetime in a bound of its own, so that the value which is passed takes texts of one
        // lifetime only. The caller chooses it, and it outlives this call: a text that is read
        // later would have to be leaked. A function pointer or a trait of our own would ask for the
        // same, and with a trait, closures would need the types of their arguments.
        let runtime = Handle::try_current().map_err(|_| outside_of_tokio())?;
        let path = path.into();
        let file = path.clone();
        let load = move || {
            parser(&read(&file)?).map_err(|error| {
                let message = format!("{}: {}", file.display(), error.to_string().trim_end());
                Error::with_kind(ErrorKind::Config, message)
            })
        };
        let hangup = signal(SignalKind::hangup()).map_err(Error::other)?;
        let known = identity(&path);
        let (sender, receiver) = watch::channel(Arc::new(load()?));
        runtime.spawn(follow(path, load, known, hangup, sender));
        Ok(ConfigWatch(receiver))
    }

    /// Returns the settings as last read.
    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.0.borrow())
    }

    /// Waits for settings that this value has not returned yet, and returns them.
    /// [`get`](Self::get) does not count.
    ///
    /// It is cancel safe: no change is lost if the future is dropped. Settings that never change
    /// are waited for forever.
    pub async fn changed(&mut self) -> Arc<T> {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        Arc::clone(&self.0.borrow_and_update())
    }

    /// Updates the existing containers: sends what `updates` returns for the settings, now and
    /// after each change, and logs the outcome. Never returns.
    ///
    /// The hooks of [`Connection`](crate::plugin::Connection) end with the connection, and this
    /// future with them.
    pub async fn reconcile(&self, cx: &EventContext, updates: impl Fn(&T) -> Updates + Send) {
        let mut settings = self.clone();
        settings.0.mark_changed();
        loop {
            let requested = updates(&*settings.changed().await);
            if !requested.updates().is_empty() || !requested.evictions().is_empty() {
                cx.updater().update_and_log(requested, None).await;
            }
        }
    }
}

fn outside_of_tokio() -> Error {
    let message = "the configuration cannot be watched outside of a tokio runtime";
    let help = "call this in `nri::block_on(async { … })`, or in a function below `#[tokio::main]`";
    Error::other(message).with_help(help)
}

/// Reads a configuration file.
///
/// # Errors
///
/// Returns [`ErrorKind::Config`] if the file cannot be read or is larger than 4 MiB.
pub(crate) fn read(path: &Path) -> Result<String> {
    let invalid = |reason: String| {
        let message = format!("cannot read the configuration {}: {reason}", path.display());
        Error::with_kind(ErrorKind::Config, message)
    };
    let mut text = String::new();
    let file = File::open(path).map_err(|error| invalid(error.to_string()))?;
    let mut limited = file.take(MAX_BYTES + 1);
    let read = limited.read_to_string(&mut text);
    let bytes = read.map_err(|error| invalid(error.to_string()))?;
    if bytes as u64 > MAX_BYTES {
        return Err(invalid(format!("larger than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

/// The parts of a file's metadata that differ between two versions of it: device, inode, size, and
/// the times of the last change of its content and of its metadata, each in seconds and
/// nanoseconds.
type Identity = ([u64; 3], [i64; 4]);

/// Returns the identity of the file, `None` if it is missing.
fn identity(path: &Path) -> Option<Identity> {
    let file = fs::metadata(path).ok()?;
    let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
    Some(([file.dev(), file.ino(), file.len()], times))
}

/// Publishes the settings of the file whenever it has changed, until nobody uses them.
async fn follow<T>(
    path: PathBuf,
    load: impl Fn() -> Result<T>,
    mut known: Option<Identity>,
    mut hangup: Signal,
    settings: watch::Sender<Arc<T>>,
) {
    loop {
        let is_requested = timeout(INTERVAL, hangup.recv()).await.is_ok();
        if settings.is_closed() {
            return;
        }
        // Before the file is read: a change in between is seen the next time.
        let identity = identity(&path);
        if !is_requested && identity == known {
            continue;
        }
        known = identity;
        match load() {
            Ok(changed) => {
                settings.send_replace(Arc::new(changed));
                tracing::info!(file = %path.display(), "the configuration was read again");
            }
            Err(error) => tracing::warn!("the configuration stays as it was: {error:#}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn number(text: &str) -> std::result::Result<i32, std::num::ParseIntError> {
        text.parse()
    }

    #[tokio::test]
    async fn a_hangup_reads_a_file_that_has_not_changed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, "1").unwrap();
        let mut watch = ConfigWatch::of_file(file.path(), number).unwrap();
        let mut kill = std::process::Command::new("kill");
        let killed = kill.args(["-HUP", &std::process::id().to_string()]).status();
        assert!(killed.unwrap().success());
        assert_eq!(*watch.changed().await, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_replaced_link_is_a_change_and_a_missing_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["1", "2"] {
            fs::write(path(name), name).unwrap();
        }
        symlink(path("1"), path("config")).unwrap();
        let mut watch = ConfigWatch::of_file(path("config"), number).unwrap();
        fs::remove_file(path("config")).unwrap();
        tokio::time::sleep(2 * INTERVAL).await;
        assert_eq!(*watch.get(), 1);
        symlink(path("2"), path("new")).unwrap();
        fs::rename(path("new"), path("config")).unwrap();
        assert_eq!(*watch.changed().await, 2);
    }

    #[test]
    fn a_file_is_not_watched_outside_of_tokio() {
        let error = ConfigWatch::of_file("config", number).unwrap_err();
        assert!(error.to_string().ends_with("outside of a tokio runtime"), "{error}");
        assert!(error.help().is_some_and(|help| help.contains("nri::block_on")));
    }

    #[tokio::test]
    async fn a_closure_around_a_function_of_serde_parses_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, "[7]").unwrap();
        let parser = |text: &str| serde_json::from_str::<Vec<u64>>(text);
        let watch = ConfigWatch::of_file(file.path(), parser).unwrap();
        assert_eq!(*watch.get(), [7]);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_used_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        let error = || ConfigWatch::of_file(&path, number).unwrap_err().to_string();
        let name = path.display();
        assert!(error().starts_with(&format!("cannot read the configuration {name}: ")));
        fs::write(&path, "few").unwrap();
        assert_eq!(error(), format!("{name}: invalid digit found in string"));
        let large = File::create(&path).unwrap();
        large.set_len(MAX_BYTES + 1).unwrap();
        assert!(error().ends_with("larger than 4194304 bytes"));
    }
}

//! A small logger for plugins without their own `tracing` subscriber: to standard error, a file or
//! journald.
//!
//! A program that runs a plugin, with [`stub::run`](crate::stub::run) or a [`Stub`](crate::stub::Stub), logs to standard
//! error unless it has installed a subscriber, as [`from_env`] describes. The standard error of a
//! plugin that is launched by a runtime is discarded, and environment variables such as `RUST_LOG`
//! do not reach it. Such a plugin sets the level and target in its configuration, and calls
//! [`init`] in its Configure handler.
//!
//! ```
//! use nri::logging::{self, Target};
//! use nri::prelude::*;
//!
//! #[derive(Default, serde::Deserialize)]
//! struct Settings {
//!     /// `stderr`, `journald`, or the path of a file.
//!     log: Option<String>,
//! }
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "quiet", index = "10")]
//! struct Quiet;
//!
//! impl Configure for Quiet {
//!     async fn configure(&self, _cx: &EventContext, config: Config) -> nri::Result<Subscription> {
//!         let settings: Settings = config.parse_with(serde_json::from_str)?;
//!         if let Some(target) = settings.log {
//!             logging::init(tracing::Level::INFO, target.parse::<Target>()?)?;
//!         }
//!         Ok(Subscription::Handled)
//!     }
//! }
//! # impl StopPodSandbox for Quiet {
//! #     async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> { Ok(()) }
//! # }
//! ```
//!
//! It records events, not spans. Plugins that need spans install a subscriber, for example
//! `tracing-subscriber`.

mod directives;
mod line;
mod sink;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::{Error, ErrorKind, Result};
use directives::{Directives, rank};
use line::Line;
use sink::LogSink;

/// The destination of log lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard error.
    Stderr,
    /// A file to append to.
    File(PathBuf),
    /// The systemd journal.
    Journald,
    /// The log of the runtime that has loaded the WebAssembly module.
    #[cfg(target_family = "wasm")]
    Host,
}

/// Parses `stderr`, `journald`, or an absolute path.
impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "stderr" => Ok(Target::Stderr),
            "journald" => Ok(Target::Journald),
            path if path.starts_with('/') => Ok(Target::File(path.into())),
            other => Err(Error::with_kind(
                ErrorKind::Config,
                format!("{other:?} is not a log target"),
            )
            .with_help("use \"stderr\", \"journald\", or the absolute path of a file")),
        }
    }
}

/// Logs events of this and more severe levels to the target. A later call changes both.
///
/// # Errors
///
/// Returns an error if the target cannot be opened, or the program has installed another
/// subscriber.
pub fn init(level: Level, target: Target) -> Result<()> {
    let sink = LogSink::open(&target)?;
    if !install() {
        return Err(
            Error::with_kind(ErrorKind::Config, "another tracing subscriber is installed")
                .with_help("configure that subscriber, or remove it"),
        );
    }
    let mut settings = settings();
    settings.sink = sink;
    settings.apply(Directives::level(level));
    Ok(())
}

/// Logs to standard error, as the environment variable `RUST_LOG` says, unless the program has
/// installed a subscriber or called [`init`].
///
/// The variable is a level (`debug`), or a list such as `warn,nri=debug,my_plugin::store=trace`, in
/// which a level without a target applies to all other targets. `off` is a level, too. Without the
/// variable, the level is `info`. A part that cannot be read is named in a warning.
///
/// Lines start with the time, unless standard error is connected to the journal of systemd, which
/// adds it.
///
/// A program that runs a plugin with a [`Stub`](crate::stub::Stub) need not call this: the stub does.
pub fn from_env() {
    let is_first = !ASKED.swap(true, Ordering::Relaxed);
    if !is_first || !install() {
        return;
    }
    let text = std::env::var("RUST_LOG").unwrap_or_default();
    let (directives, unread) = Directives::parse(&text);
    settings().apply(directives);
    for part in unread {
        tracing::warn!(
            help = "write a level, or TARGET=LEVEL, with commas in between",
            "RUST_LOG has a part that is neither a level nor a target with a level: {part:?}"
        );
    }
}

/// True as soon as the settings are those of the program or the environment.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the subscriber of the program. Returns true if it is this one.
fn install() -> bool {
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    *installed =
        *installed || tracing::dispatcher::set_global_default(Dispatch::new(Logger)).is_ok();
    *installed
}

/// The rank of the least severe level that any target logs; 0 if none does. An event that is less
/// severe needs no lock.
static LEVEL: AtomicU8 = AtomicU8::new(0);

static SETTINGS: Mutex<Settings> = Mutex::new(Settings {
    directives: Directives::OFF,
    sink: LogSink::DEFAULT,
});

/// The settings of the subscriber: static, so that they can change after installation.
struct Settings {
    directives: Directives,
    sink: LogSink,
}

impl Settings {
    fn apply(&mut self, directives: Directives) {
        ASKED.store(true, Ordering::Relaxed);
        LEVEL.store(directives.max(), Ordering::Relaxed);
        self.directives = directives;
    }
}

fn settings() -> MutexGuard<'static, Settings> {
    SETTINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The subscriber.
struct Logger;

impl Subscriber for Logger {
    /// Returns an interest that is not cached, because the level may change later. Spans are never
    /// recorded.
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_event() {
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && rank(*metadata.level()) <= LEVEL.load(Ordering::Relaxed)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        None
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        // Formatted before the lock: a value may log when it is formatted.
        let line = Line::of(event);
        let mut settings = settings();
        if settings.directives.allow(event.metadata()) {
            // There is no other place to report a failure to.
            let _ = settings.sink.write(*event.metadata().level(), &line);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_from_text() {
        assert_eq!("stderr".parse::<Target>().unwrap(), Target::Stderr);
        assert_eq!("journald".parse::<Target>().unwrap(), Target::Journald);
        let file = Target::File("/var/log/x".into());
        assert_eq!("/var/log/x".parse::<Target>().unwrap(), file);
        assert_eq!("x".parse::<Target>().unwrap_err().kind(), ErrorKind::Config);
    }
}

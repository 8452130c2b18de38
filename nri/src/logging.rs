//! A small logger for plugins without their own `tracing` subscriber: to standard error, a file or
//! journald.
//!
//! [`stub::run`](crate::stub::run) logs to standard error unless the plugin has installed a
//! subscriber. The standard error of a plugin that is launched by a runtime is discarded, and
//! environment variables such as `RUST_LOG` do not reach it. Such a plugin sets the level and
//! target in its configuration, and calls [`init`] in its Configure handler.
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
//!     async fn configure(&self, cx: &Context, request: ConfigureRequest) -> nri::Result<Option<EventMask>> {
//!         let settings: Settings = request.parse(cx, serde_json::from_str)?;
//!         if let Some(target) = settings.log {
//!             logging::init(tracing::Level::INFO, target.parse::<Target>()?)?;
//!         }
//!         Ok(None)
//!     }
//! }
//! # impl StopPodSandbox for Quiet {
//! #     async fn stop_pod_sandbox(&self, _: &Context, _: PodSandbox) -> nri::Result<()> { Ok(()) }
//! # }
//! ```
//!
//! It records events, not spans. Plugins that need spans install a subscriber, for example
//! `tracing-subscriber`.

mod line;
mod sink;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::{Error, ErrorKind, Result};
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
    *SINK.lock().unwrap_or_else(PoisonError::into_inner) = sink;
    LEVEL.store(rank(level), Ordering::Relaxed);
    Ok(())
}

/// Logs to standard error unless the program has installed a subscriber. The level is that of
/// `RUST_LOG` if it is a level, else `info`.
pub(crate) fn init_default() {
    let level = std::env::var("RUST_LOG").ok();
    let level = level.and_then(|level| level.parse().ok());
    if install() {
        LEVEL.store(rank(level.unwrap_or(Level::INFO)), Ordering::Relaxed);
    }
}

/// Installs the subscriber of the program. Returns true if it is this one.
fn install() -> bool {
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    *installed =
        *installed || tracing::dispatcher::set_global_default(Dispatch::new(Logger)).is_ok();
    *installed
}

/// The rank of the least severe level that is logged; 0 if none is.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The destination of log lines.
static SINK: Mutex<LogSink> = Mutex::new(LogSink::DEFAULT);

/// The subscriber. Its state is static so that it can change after installation.
struct Logger;

/// Numbers levels from 1, the most severe one.
fn rank(level: Level) -> u8 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

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
        let line = Line::of(event);
        let mut sink = SINK.lock().unwrap_or_else(PoisonError::into_inner);
        // There is no other place to report it to.
        let _ = sink.write(*event.metadata().level(), &line);
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

//! A small logger for plugins without their own `tracing` subscriber: to standard error or
//! journald.
//!
//! A program that runs a plugin, with [`stub::run`](crate::stub::run) or a
//! [`Stub`](crate::stub::Stub), logs to standard error unless it has installed a subscriber, as
//! [`from_env`] describes. The standard error of a plugin that is launched by a runtime is
//! discarded, and environment variables such as `RUST_LOG` do not reach it. Such a plugin sets the
//! level and target in its configuration, and calls [`init`] in its Configure handler.
//!
//! ```
//! use nri::logging::{self, Target};
//! use nri::prelude::*;
//!
//! #[derive(Default, serde::Deserialize)]
//! struct Settings {
//!     /// `stderr` or `journald`.
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
//! It records events, not spans, and adds no times: journald and container runtimes do. Plugins
//! that need spans, times, files or a level for each module install a subscriber, for example
//! `tracing-subscriber`.

use std::fmt::{self, Debug, Write as _};
use std::io::{self, Write as _};
#[cfg(unix)]
use std::os::unix::net::UnixDatagram;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

#[cfg(unix)]
use crate::ResultExt;
use crate::{Error, ErrorKind, Result};

/// The destination of log lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard error.
    Stderr,
    /// The systemd journal.
    Journald,
}

/// Parses `stderr` or `journald`.
impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "stderr" => Ok(Target::Stderr),
            "journald" => Ok(Target::Journald),
            other => {
                Err(Error::with_kind(ErrorKind::Config, format!("{other:?} is not a log target"))
                    .with_help("use \"stderr\" or \"journald\""))
            }
        }
    }
}

/// Logs events of this and more severe levels to the target. A later call changes both.
///
/// # Errors
///
/// Returns an error if there is no journald to connect to, or the program has installed another
/// subscriber.
pub fn init(level: Level, target: Target) -> Result<()> {
    let sink = Sink::open(&target)?;
    if !install() {
        return Err(Error::with_kind(ErrorKind::Config, "another tracing subscriber is installed")
            .with_help("configure that subscriber, or remove it"));
    }
    ASKED.store(true, Ordering::Relaxed);
    *settings() = LogSettings { level: level.into(), sink };
    Ok(())
}

/// Logs to standard error, as the environment variable `RUST_LOG` says, unless the program has
/// installed a subscriber or called [`init`].
///
/// The variable is a level, such as `debug` or `off`. Without the variable, the level is `info`.
/// A value that is not a level is named in a warning.
///
/// A program that runs a plugin with a [`Stub`](crate::stub::Stub) need not call this: the stub
/// does.
pub fn from_env() {
    let is_first = !ASKED.swap(true, Ordering::Relaxed);
    if !is_first || !install() {
        return;
    }
    let text = std::env::var("RUST_LOG").unwrap_or_default();
    let level = match text.trim() {
        "" => Ok(LevelFilter::INFO),
        level => level.parse(),
    };
    settings().level = level.as_ref().map_or(LevelFilter::INFO, LevelFilter::clone);
    if level.is_err() {
        tracing::warn!(
            help = "write error, warn, info, debug, trace or off",
            "RUST_LOG is not a level: {text:?}"
        );
    }
}

/// True as soon as the settings are those of the program or the environment.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the subscriber of the program. Returns true if it is this one.
fn install() -> bool {
    static INSTALLED: Mutex<bool> = Mutex::new(false);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    *installed = *installed || tracing::subscriber::set_global_default(logger()).is_ok();
    *installed
}

/// Returns the subscriber, which locks the settings only when a value that may log itself is
/// formatted.
fn logger() -> impl Subscriber {
    EventSubscriber {
        is_enabled: |metadata: &Metadata<'_>| *metadata.level() <= settings().level,
        // There is no other place to report a failure to.
        write: |level, line: &Line| drop(settings().sink.write(level, line)),
    }
}

/// The settings of the subscriber: static, so that they can change after installation.
struct LogSettings {
    level: LevelFilter,
    sink: Sink,
}

static SETTINGS: Mutex<LogSettings> =
    Mutex::new(LogSettings { level: LevelFilter::OFF, sink: Sink::Stderr });

fn settings() -> MutexGuard<'static, LogSettings> {
    SETTINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A subscriber that passes enabled events to a function. It records no spans.
pub struct EventSubscriber<E, W> {
    /// Returns true for the events to pass on.
    pub is_enabled: E,
    /// Takes an event: its level and its text.
    pub write: W,
}

impl<E, W> Subscriber for EventSubscriber<E, W>
where
    E: Fn(&Metadata<'_>) -> bool + Send + Sync + 'static,
    W: Fn(Level, &Line) + Send + Sync + 'static,
{
    /// Returns an interest that is not cached, because the level may change later. Spans are never
    /// recorded.
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_event() { Interest::sometimes() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && (self.is_enabled)(metadata)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        (self.write)(*event.metadata().level(), &line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The text of an event: its message, followed by its fields.
#[derive(Debug, Default)]
pub struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message.push_str(value);
        } else {
            self.record_debug(field, &value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.message, self.fields)
    }
}

/// An open [`Target`].
enum Sink {
    Stderr,
    #[cfg(unix)]
    Journal(UnixDatagram),
}

impl Sink {
    fn open(target: &Target) -> Result<Self> {
        match target {
            Target::Stderr => Ok(Sink::Stderr),
            #[cfg(not(unix))]
            Target::Journald => {
                Err(Error::with_kind(ErrorKind::Unsupported, "there is no journald here"))
            }
            #[cfg(unix)]
            Target::Journald => {
                let socket = UnixDatagram::unbound()?;
                socket
                    .connect(JOURNAL)
                    .with_context(|| format!("cannot connect to journald at {JOURNAL}"))?;
                Ok(Sink::Journal(socket))
            }
        }
    }

    fn write(&mut self, level: Level, line: &Line) -> io::Result<()> {
        match self {
            Sink::Stderr => write_stderr(level, line),
            #[cfg(unix)]
            Sink::Journal(socket) => socket.send(&entry(level, &line.to_string())).map(drop),
        }
    }
}

/// The function that writes lines in place of standard error.
static STDERR: OnceLock<fn(Level, String)> = OnceLock::new();

/// Writes lines with a function wherever standard error is the target, for programs that have none.
#[cfg(target_family = "wasm")]
pub(crate) fn replace_stderr(write: fn(Level, String)) {
    // The first one stays.
    let _ = STDERR.set(write);
}

fn write_stderr(level: Level, line: &Line) -> io::Result<()> {
    match STDERR.get() {
        Some(write) => {
            write(level, line.to_string());
            Ok(())
        }
        // In one write, so that lines of several processes do not mix.
        None => io::stderr().write_all(format!("{level:>5} {line}\n").as_bytes()),
    }
}

/// The socket of systemd's [native protocol](https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
#[cfg(unix)]
const JOURNAL: &str = "/run/systemd/journal/socket";

/// Returns an entry of the journal. The length precedes the message, which may have several lines.
#[cfg(unix)]
fn entry(level: Level, message: &str) -> Vec<u8> {
    let priority = match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG | Level::TRACE => 7,
    };
    let mut entry = format!("PRIORITY={priority}\nMESSAGE\n").into_bytes();
    entry.extend((message.len() as u64).to_le_bytes());
    entry.extend(message.as_bytes());
    entry.push(b'\n');
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_from_text() {
        assert_eq!("stderr".parse::<Target>().unwrap(), Target::Stderr);
        assert_eq!("journald".parse::<Target>().unwrap(), Target::Journald);
        assert_eq!("x".parse::<Target>().unwrap_err().kind(), ErrorKind::Config);
    }

    #[cfg(unix)]
    #[test]
    fn a_journal_entry_holds_any_message() {
        assert_eq!(entry(Level::WARN, "a\nb"), b"PRIORITY=4\nMESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n");
    }
}

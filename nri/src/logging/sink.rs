//! Destinations of log lines, each with its format.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::net::UnixDatagram;
#[cfg(unix)]
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tracing::Level;

use super::Target;
use super::line::Line;
#[cfg(not(unix))]
use crate::{Error, ErrorKind};
use crate::{Result, ResultExt};

/// The socket of systemd's [native protocol](https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
#[cfg(unix)]
const JOURNAL: &str = "/run/systemd/journal/socket";

pub(super) enum LogSink {
    Stderr,
    File(File),
    #[cfg(unix)]
    Journal(UnixDatagram),
    /// The log of the runtime that has loaded the WebAssembly module.
    #[cfg(target_family = "wasm")]
    Host,
}

impl LogSink {
    /// Standard error, or the log of the runtime in a WebAssembly module, which has no standard error.
    #[cfg(not(target_family = "wasm"))]
    pub(super) const DEFAULT: Self = LogSink::Stderr;
    #[cfg(target_family = "wasm")]
    pub(super) const DEFAULT: Self = LogSink::Host;

    pub(super) fn open(target: &Target) -> Result<Self> {
        match target {
            Target::Stderr => Ok(LogSink::Stderr),
            #[cfg(target_family = "wasm")]
            Target::Host => Ok(LogSink::Host),
            Target::File(path) => {
                let file = OpenOptions::new().append(true).create(true).open(path);
                file.map(LogSink::File)
                    .with_context(|| format!("cannot open the log file {}", path.display()))
            }
            #[cfg(not(unix))]
            Target::Journald => Err(Error::with_kind(
                ErrorKind::Unsupported,
                "there is no journald here",
            )),
            #[cfg(unix)]
            Target::Journald => {
                let socket = UnixDatagram::unbound()?;
                socket
                    .connect(JOURNAL)
                    .with_context(|| format!("cannot connect to journald at {JOURNAL}"))?;
                Ok(LogSink::Journal(socket))
            }
        }
    }

    pub(super) fn write(&mut self, level: Level, line: &Line) -> io::Result<()> {
        match self {
            LogSink::Stderr if is_stderr_journal() => writeln!(io::stderr(), "{level:>5} {line}"),
            LogSink::Stderr => io::stderr().write_all(timed(level, line).as_bytes()),
            // In one write, so that lines of several processes do not mix.
            LogSink::File(file) => file.write_all(timed(level, line).as_bytes()),
            #[cfg(target_family = "wasm")]
            LogSink::Host => {
                crate::wasm::log(level, line.to_string());
                Ok(())
            }
            #[cfg(unix)]
            LogSink::Journal(socket) => socket.send(&entry(level, &line.to_string())).map(drop),
        }
    }
}

fn timed(level: Level, line: &Line) -> String {
    format!("{} {level:>5} {line}\n", timestamp(SystemTime::now()))
}

/// Returns true if standard error is connected to the journal, which adds times. systemd then sets
/// [`JOURNAL_STREAM`](https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html) to
/// the device and inode numbers of the connection; a program that redirects standard error inherits
/// the variable.
#[cfg(unix)]
fn is_stderr_journal() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    static IS_JOURNAL: OnceLock<bool> = OnceLock::new();
    *IS_JOURNAL.get_or_init(|| {
        let Ok(stream) = std::env::var("JOURNAL_STREAM") else {
            return false;
        };
        let stderr = io::stderr().as_fd().try_clone_to_owned();
        let metadata = stderr.and_then(|stderr| File::from(stderr).metadata());
        metadata.is_ok_and(|of| stream == format!("{}:{}", of.dev(), of.ino()))
    })
}

#[cfg(not(unix))]
fn is_stderr_journal() -> bool {
    false
}

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

/// Formats a time as RFC 3339 in UTC: `2026-04-15T20:15:04.861Z`.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Returns the date this many days after 1970-01-01, using the [algorithm of Howard
/// Hinnant](https://howardhinnant.github.io/date_algorithms.html#civil_from_days).
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Years start in March here, so the leap day is the last day.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year_of_era + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_776_284_104, "2026-04-15T20:15:04.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_journal_entry_holds_any_message() {
        assert_eq!(
            entry(Level::WARN, "a\nb"),
            b"PRIORITY=4\nMESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n"
        );
    }
}

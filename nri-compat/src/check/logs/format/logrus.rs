//! The terminal format of logrus: `WARN[2026-03-18T20:15:04Z] NRI plugin uses …
//! plugin=10-template`.

use crate::check::logs::record::{Origin, Unwrapped};
use crate::check::logs::stamp;

/// The levels, truncated to four letters.
const LEVELS: [&str; 7] = ["TRAC", "DEBU", "INFO", "WARN", "ERRO", "FATA", "PANI"];

/// Removes level and time, which is the number of seconds since start unless full time stamps are
/// enabled.
pub(super) fn unwrap(text: &str, origin: &mut Origin) -> Option<Unwrapped> {
    let rest = LEVELS.iter().find_map(|level| text.strip_prefix(level))?;
    let (time, line) = rest.strip_prefix('[')?.split_once(']')?;
    let is_seconds = time.bytes().all(|byte| byte.is_ascii_digit());
    if !is_seconds {
        stamp::rfc3339(time)?;
        origin.set_time(Some(time));
    }
    Some(Unwrapped::Line(line.trim_start().to_owned()))
}

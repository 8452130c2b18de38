//! `journalctl` and syslog: `Mar 18 20:15:04 node-1 containerd[19584]: LINE` with the time in any
//! of journalctl's short formats, the same after a priority (RFC 3164), RFC 5424, and
//! `MESSAGE=LINE` of journalctl's formats `export` and `verbose`.

use crate::check::logs::record::{Origin, Unwrapped};

/// The maximum number of bytes before the text of the line.
const MAX_HEADER: usize = 512;

/// The maximum number of words in a header: `Wed 2026-03-18 20:15:04 UTC node-1 containerd[1]`.
const MAX_WORDS: usize = 6;

/// Removes the header of a line.
pub(super) fn unwrap(text: &str, origin: &mut Origin) -> Option<Unwrapped> {
    if let Some(line) = text.strip_prefix("MESSAGE=") {
        return Some(Unwrapped::Line(line.to_owned()));
    }
    if let Some(rest) = after_priority(text) {
        return rfc5424(rest, origin).or_else(|| header(rest, origin));
    }
    header(text, origin)
}

/// Returns the text after `<28>`, and after the length that precedes it in syslog over TCP.
fn after_priority(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let (priority, rest) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    (is_number(priority) && priority.len() <= 3).then_some(rest)
}

/// Parses `1 TIME HOST APP PID ID STRUCTURED-DATA LINE`:
/// <https://www.rfc-editor.org/rfc/rfc5424#section-6>
fn rfc5424(text: &str, origin: &mut Origin) -> Option<Unwrapped> {
    let rest = text.strip_prefix("1 ")?;
    let mut fields = rest.splitn(6, ' ');
    let time = fields.next()?;
    let node = fields.next()?;
    let rest = fields.nth(3)?;
    origin.set_time(present(time));
    origin.set_node(present(node));
    let line = after_structured_data(rest)?;
    Some(Unwrapped::Line(
        line.trim_start_matches('\u{feff}').to_owned(),
    ))
}

/// Returns the value of a field; `-` means none.
fn present(field: &str) -> Option<&str> {
    Some(field).filter(|field| *field != "-")
}

/// Returns the text after `-`, or after one or more `[id name="value"]`.
fn after_structured_data(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('-') {
        return Some(rest.trim_start());
    }
    let mut rest = text;
    while let Some(element) = rest.strip_prefix('[') {
        rest = element.get(end_of_element(element)?..)?;
    }
    Some(rest.trim_start())
}

/// Returns the position after the `]` of an element; within quotes `]` is escaped.
fn end_of_element(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ']' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Parses `TIME [HOST] UNIT[PID]: LINE`.
fn header(text: &str, origin: &mut Origin) -> Option<Unwrapped> {
    let (header, line) = text.split_once(": ")?;
    if header.len() > MAX_HEADER {
        return None;
    }
    let (elapsed, rest) = match since_boot(header) {
        Some(rest) => (true, rest),
        None => (false, header),
    };
    let words: Vec<&str> = rest.split_whitespace().take(MAX_WORDS + 1).collect();
    let (unit, words) = words.split_last()?;
    let (time, node) = time_and_node(words, elapsed)?;
    if !is_unit(unit, elapsed || time.len() == 3) {
        return None;
    }
    origin.set_time((!time.is_empty()).then(|| time.join(" ")));
    origin.set_node(node.copied());
    Some(Unwrapped::Line(line.to_owned()))
}

/// Returns the text after the seconds since boot, which are not a time of day: `[ 1234.567890]`, or
/// `[ 1234.567890 <    0.001234 >]` of `-o short-delta`.
fn since_boot(header: &str) -> Option<&str> {
    let (seconds, rest) = header.strip_prefix('[')?.split_once(']')?;
    let allowed =
        |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ' ' | '<' | '>' | '+');
    (!seconds.is_empty() && seconds.chars().all(allowed)).then_some(rest)
}

/// Splits the words before the unit; `--no-hostname` omits the host.
fn time_and_node<'w, 't>(
    words: &'w [&'t str],
    elapsed: bool,
) -> Option<(&'w [&'t str], Option<&'w &'t str>)> {
    if elapsed {
        return (words.len() <= 1).then(|| (&words[..0], words.first()));
    }
    if is_time(words) {
        return Some((words, None));
    }
    let (node, time) = words.split_last()?;
    is_time(time).then_some((time, Some(node)))
}

/// Returns true for `Mar 18 20:15:04`, `Wed 2026-03-18 20:15:04 UTC`, `2026-03-18T20:15:04+0000`,
/// `2026-03-18 20:15:04`, `1773864904.861795`.
fn is_time(words: &[&str]) -> bool {
    match words {
        [time] => time.len() >= 10 && time.starts_with(|first: char| first.is_ascii_digit()),
        [date, clock] => is_date(date) && is_clock(clock),
        [month, day, clock] => {
            (month.len() == 3 && day.len() <= 2 && is_clock(clock))
                || (is_date(month) && is_clock(day))
        }
        [day, date, clock, _] => day.len() == 3 && is_date(date) && is_clock(clock),
        _ => false,
    }
}

fn is_date(word: &str) -> bool {
    word.len() == 10
        && word
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '-')
}

fn is_clock(word: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.');
    word.len() >= 8 && word.chars().all(allowed)
}

/// Returns true for `containerd[19584]`; without a process id only after a time in syslog's format.
fn is_unit(word: &str, may_lack_pid: bool) -> bool {
    let pid = word
        .strip_suffix(']')
        .and_then(|word| word.rsplit_once('['));
    pid.map_or(may_lack_pid, |(_, pid)| is_number(pid))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

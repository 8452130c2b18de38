//! `journalctl` and syslog files: `Mar 18 20:15:04 node-1 containerd[19584]: LINE`, with the time in any of
//! journalctl's short formats; and `MESSAGE=LINE`, as its formats `export` and `verbose` have it.

use super::{Around, Peeled};

/// Words before the colon at most: `Wed 2026-03-18 20:15:04 UTC node-1 containerd[1]`.
const WORDS: usize = 6;

/// Bytes before the colon at most.
const LONGEST: usize = 512;

pub(super) fn peel(text: &str, around: &mut Around) -> Option<Peeled> {
    if let Some(line) = text.strip_prefix("MESSAGE=") {
        return Some(Peeled::Inner(line.to_owned()));
    }
    let (before, line) = text.split_once(": ")?;
    if before.len() > LONGEST {
        return None;
    }
    let words: Vec<&str> = before.split_whitespace().take(WORDS + 1).collect();
    let [time @ .., node, unit] = words.as_slice() else {
        return None;
    };
    if !(is_time(time) && is_unit(unit, time.len())) {
        return None;
    }
    around.time(Some(time.join(" ")));
    around.node(Some(*node));
    Some(Peeled::Inner(line.to_owned()))
}

/// `Mar 18 20:15:04`, `Wed 2026-03-18 20:15:04 UTC`, `2026-03-18T20:15:04+0000`, `1773864904.861795`.
fn is_time(words: &[&str]) -> bool {
    match words {
        [time] => time.len() >= 10 && time.starts_with(|first: char| first.is_ascii_digit()),
        [month, day, clock] => month.len() == 3 && day.len() <= 2 && is_clock(clock),
        [day, date, clock, _] => day.len() == 3 && date.len() == 10 && is_clock(clock),
        _ => false,
    }
}

fn is_clock(word: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.');
    word.len() >= 8 && word.chars().all(allowed)
}

/// `containerd[19584]`; without a process id only behind a time that syslog writes.
fn is_unit(word: &str, words_of_time: usize) -> bool {
    let pid = word
        .strip_suffix(']')
        .and_then(|word| word.rsplit_once('['));
    match pid {
        Some((_, pid)) => !pid.is_empty() && pid.chars().all(|letter| letter.is_ascii_digit()),
        None => words_of_time == 3,
    }
}

//! The wordings of NRI v0.2.0 to v0.12.5, containerd, CRI-O, `nri-adaptation` and `nri-bridge` as
//! patterns, and the words by which lines that may have one are found.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::record::regex;
use super::subject::{Stage, Subject};
use crate::facts::DEDICATED;
use crate::rules::incident::{self, Fate, Incident, Wording};
use crate::unknown::BRIDGED;

/// How notes begin that are from the log of a plugin itself, which the Go stub writes.
pub(super) const OWN_LOG: &str = "its own log says:";

/// The message of containerd whose details are in fields.
pub(super) const DEPRECATED_INTERFACE: &str = "NRI plugin uses a deprecated interface";

/// The line of a list of deprecations with the message of an entry, whose id is on another line.
pub(super) const LISTED_MESSAGE: &str = "\"message\": \"NRI plugin";

/// The wordings of messages that are not incidents, each with what it says. Those of unread
/// warnings count only if nothing else was found.
///
/// `NAME` is the name of a plugin with its index, and so is `OWN`, where a pattern has another name
/// already: programs of all kinds have plugins, but do not call them `10-template`. Messages that
/// name no plugin need one of NRI's own reasons. Those that say `NOTHING` only name the plugin that
/// the next messages are about.
const WORDINGS: &[(Subject, Stage, &str)] = &[
    (
        Subject::Plugin,
        Stage::Other,
        r#"
        NRI plugin uses a deprecated interface(?s:.*)\nStateChange\ndoes not implement (?:a dedicated )?EVENT(?: RPC call)?\nANY$ => the runtime called StateChange instead of $event
        plugin NAME uses deprecated StateChange instead of a dedicated EVENT RPC call => the runtime called StateChange instead of $event
        "#,
    ),
    (
        Subject::Plugin,
        Stage::Registered,
        r#"
        plugin "[^"]*" registered as "NAME"(?:$|[^ ]| [^(]) => it registered; this runtime does not log the NRI version of plugins
        plugin "[^"]*" registered as "NAME" \(with NRI version (?<version>v[^)]*)\) => it registered and reported NRI version $version
        [a-zA-Z-]+ plugin registered as NAME \(with NRI version (?<version>v[^)]*)\) => it registered and reported NRI version $version
        [a-zA-Z-]+ plugin registered as NAME \(with NRI version unknown => it registered without an NRI version: its stub is older than DEDICATED, or does not send one
        plugin "[^"]*" registered as "NAME" \(with NRI version [^v] => it registered without an NRI version: its stub is older than DEDICATED, or does not send one
        "#,
    ),
    (
        Subject::Plugin,
        Stage::Announced,
        r#"
        synchronizing plugin NAME => NOTHING
        Created plugin NAME \([^),]*, handles (?<events>[A-Za-z,]+)\) => OWN_LOG it handles $events
        Registering plugin NAME[.]{3} => OWN_LOG it registers
        Configuring plugin NAME for runtime (?<runtime>[^\s"\\]+?)(?:[.]{3}|[\s"\\]|$) => OWN_LOG its runtime is $runtime
        Started plugin NAME[.]{3} => OWN_LOG it started
        "#,
    ),
    (
        Subject::Plugin,
        Stage::Connected,
        r#"
        pre-installed NRI plugin "ANY" synchronization success => CONNECTED
        plugin "(?:[^":]*:)?NAME(?:\[[0-9]+\])?" connected => CONNECTED
        plugin NAME connected and synchronized => CONNECTED
        "#,
    ),
    (
        Subject::Plugin,
        Stage::Other,
        "(?:^|[^0-9])NAME: does not implement [0-9A-Za-z]+, and gets it as StateChange[.] It needs the bridge until it is rebuilt with NRI => BRIDGED",
    ),
    (
        Subject::Listed,
        Stage::Other,
        "io[.]containerd[.]deprecation/nri-plugin-interface => the runtime recorded a plugin that relies on StateChange; LISTED",
    ),
    (
        Subject::ListedOneShot,
        Stage::Other,
        "io[.]containerd[.]deprecation/nri-v010-plugin => the runtime recorded a v0.1.0 plugin; LISTED",
    ),
    (
        Subject::Unread,
        Stage::Other,
        "NRI plugin uses a deprecated interface|uses deprecated StateChange instead of a dedicated[ ] => the line warns about a plugin that relies on StateChange, UNREAD",
    ),
    (
        Subject::UnreadOneShot,
        Stage::Other,
        r"Deprecated NRI plugin\(s\)[ ] => the line warns about a v0.1.0 plugin, UNREAD",
    ),
];

/// The placeholders in wordings; one may contain those after it. Control characters are listed,
/// because `regex` knows `\p{Cc}` only with its tables of Unicode. In errors, quotation marks have
/// backslashes if the error is a quoted field.
const PLACEHOLDERS: &[(&str, &str)] = &[
    (
        "FAILED",
        r#"(?:failed to (?:create|initialize|start|synchronize) (?:(?:[a-zA-Z-]+ )?plugin: (?:plugin OWN: )?|(?:pre-installed |builtin )?NRI plugin \\*"QUALIFIED\\*": ))"#,
    ),
    ("OWN_LOG", OWN_LOG),
    ("OWN", r#"(?<own>[0-9]{2}-[^\s"',:\\\[\]]+)"#),
    ("QUALIFIED", r#"(?:[a-z-]+:)?(?<plugin>[^"\\\[\]:\x00-\x1F\x7F-\x9F]+)(?:\[[0-9]+\])?"#),
    ("ANY", r#"(?<plugin>[^"\x00-\x1F\x7F-\x9F]+)"#),
    ("NAME", r#"(?<plugin>[0-9]{2}-[^\s"',:\\\[\]]+)"#),
    ("EVENT", "(?<event>[A-Z][0-9A-Za-z]*)"),
    ("STEP", "(?<step>create|initialize|start|synchronize)"),
    ("DEDICATED", DEDICATED),
    ("CONNECTED", "it connected"),
    ("NOTHING", ""),
    ("BRIDGED", BRIDGED),
    ("LISTED", "its list names neither plugin nor event, but its log does"),
    ("UNREAD", "truncated or in an unknown format: cannot determine which one"),
];

/// A pattern, with the meaning of a text that it matches.
pub(super) struct Pattern {
    pub(super) subject: Subject,
    pub(super) stage: Stage,
    /// The incident that it reports, if any.
    pub(super) incident: Option<&'static Incident>,
    pub(super) regex: Regex,
    /// The statement, with the names of groups.
    pub(super) says: String,
    /// True if its words are not NRI's own.
    pub(super) needs_plugin: bool,
    /// Words of which every match has one.
    literals: Vec<String>,
}

impl Pattern {
    fn new(subject: Subject, stage: Stage, pattern: &str, says: &str) -> Self {
        let filled = fill(pattern);
        Self {
            subject,
            stage,
            incident: None,
            regex: regex(&filled),
            says: fill(says),
            needs_plugin: false,
            literals: literals(&filled),
        }
    }

    fn of_incident(incident: &'static Incident, wording: &Wording) -> Self {
        let (subject, stage) = match incident.plugin {
            Fate::Closed => (Subject::Plugin, Stage::Ended),
            Fate::Refused => (Subject::Plugin, Stage::Refused),
            Fate::Serving | Fate::Lost => (Subject::Plugin, Stage::Other),
            Fate::OneShot => (Subject::OneShot, Stage::Other),
            Fate::None => (Subject::Runtime, Stage::Other),
        };
        Self {
            incident: Some(incident),
            needs_plugin: wording.needs_plugin,
            ..Self::new(subject, stage, &wording.pattern, &wording.says)
        }
    }
}

/// Returns a text with values instead of its placeholders.
fn fill(text: &str) -> String {
    PLACEHOLDERS.iter().fold(text.to_owned(), |filled, (name, value)| filled.replace(name, value))
}

/// Every pattern: those of unread warnings last, and incidents before them.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let patterns = WORDINGS.iter().flat_map(|(subject, stage, rows)| {
        let columns = rows.lines().filter_map(|row| row.trim().split_once(" => "));
        columns.map(|(pattern, says)| Pattern::new(*subject, *stage, pattern, says))
    });
    let (unread, others): (Vec<Pattern>, Vec<Pattern>) =
        patterns.partition(|pattern| pattern.subject.is_unread());
    let incidents = incident::all().iter().flat_map(|incident| {
        incident.wordings.iter().map(|wording| Pattern::of_incident(incident, wording))
    });
    others.into_iter().chain(incidents).chain(unread).collect()
});

/// A search for the words of all patterns at once, and the place in [`PATTERNS`] of the pattern
/// that each word is from.
static WORDS: LazyLock<(AhoCorasick, Vec<usize>)> = LazyLock::new(|| {
    let (words, places): (Vec<&String>, Vec<usize>) = PATTERNS
        .iter()
        .enumerate()
        .flat_map(|(place, pattern)| pattern.literals.iter().map(move |word| (word, place)))
        .unzip();
    (AhoCorasick::new(words).expect("the words are few and short"), places)
});

/// Returns true if a text may match one of the patterns.
pub(super) fn may_match(text: &[u8]) -> bool {
    WORDS.0.is_match(text)
}

/// Returns the patterns that a text may match, in their order. One search for their words takes
/// much less time than a search for each pattern.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = &'static Pattern> {
    let (search, places) = &*WORDS;
    let mut found = vec![false; PATTERNS.len()];
    for word in search.find_overlapping_iter(text) {
        found[places[word.pattern()]] = true;
    }
    PATTERNS.iter().zip(found).filter_map(|(pattern, is_found)| is_found.then_some(pattern))
}

/// Words of which one is in every message that a pattern matches: `Plugin` or `plugin`, `NRI`, the
/// folder of its socket, `oversized message`. A search for these few is much faster than one for
/// the words of all patterns.
pub(super) const RARE: [&str; 4] = ["lugin", "NRI", "/nri", "zed m"];

/// Returns a word for each alternative of a pattern that is in every text that it matches: the
/// longest one outside of groups and classes. It has no character that JSON or logfmt escape.
fn literals(pattern: &str) -> Vec<String> {
    let mut alternatives = vec![vec![String::new()]];
    let (mut depth, mut letters) = (0_usize, pattern.chars().peekable());
    while let Some(letter) = letters.next() {
        let last = alternatives.last_mut().expect("there is always one");
        match letter {
            '\\' => {
                letters.next();
                last.push(String::new());
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                last.push(String::new());
            }
            _ if depth > 0 => {}
            '|' => alternatives.push(vec![String::new()]),
            '?' | '*' => {
                last.last_mut().map(String::pop);
                last.push(String::new());
            }
            letter if letter.is_ascii_alphanumeric() || " -_/,:".contains(letter) => {
                last.last_mut().expect("there is always one").push(letter);
            }
            _ => last.push(String::new()),
        }
    }
    let longest = |words: Vec<String>| words.into_iter().max_by_key(String::len);
    alternatives.into_iter().filter_map(longest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shortest words that tell a message from others.
    const MIN_LITERAL: usize = 7;

    #[test]
    fn every_pattern_has_words_by_which_it_is_found() {
        for pattern in PATTERNS.iter() {
            let regex = pattern.regex.as_str();
            assert!(!pattern.literals.is_empty(), "{regex}");
            for literal in &pattern.literals {
                assert!(literal.len() >= MIN_LITERAL, "{regex}: {literal}");
            }
        }
    }

    #[test]
    fn every_sample_matches_its_pattern_and_is_found() {
        for incident in incident::all() {
            for wording in &incident.wordings {
                let pattern = Pattern::of_incident(incident, wording);
                for sample in &wording.samples {
                    assert!(pattern.regex.is_match(sample), "{}: {sample}", incident.rule.id);
                    assert!(may_match(sample.as_bytes()), "{}: {sample}", incident.rule.id);
                    let is_found = RARE.iter().any(|word| sample.contains(word));
                    assert!(is_found, "{}: {sample}", incident.rule.id);
                }
            }
        }
    }

    #[test]
    fn words_are_outside_of_groups_and_optional_parts() {
        for (pattern, expected) in [
            ("closing plugin (?<a>b), failed to (?:handle )?c", &["closing plugin "][..]),
            (r#"plugin \\*"x\\*" both tried to set [^"]*"#, &[" both tried to set "]),
            ("one word|another words?", &["one word", "another word"]),
        ] {
            assert_eq!(literals(pattern), expected, "{pattern}");
        }
    }
}

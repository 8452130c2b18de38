//! Every message about NRI in the sources of NRI, containerd and CRI-O is an incident, or
//! `messages.toml` has the reason why it is none.
//!
//! All releases of NRI are read, and the newest one of each line of the runtimes.
//! `NRI_ALL_RELEASES=1` reads all releases.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;

use nri_compat::rules::incident::{self, Wording};
use nri_tests::snapshot::{self, assert_same};
use nri_tests::upstream::{
    self, Message, Messages, Upstream, constant_parts, is_format_of, is_telling,
};
use semver::Version;
use serde::Deserialize;

/// The messages that are not incidents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "reason")]
    reasons: Vec<Reason>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    why: String,
    formats: Vec<String>,
}

/// The beginning of the ids of what plugins say themselves: their stub is not linked by runtimes,
/// and is not read here.
const OF_STUB: &str = "INCIDENT_STUB_";

/// The counts for each release.
const COUNTS: &str = "messages/releases.tsv";

fn table() -> Table {
    toml::from_str(include_str!("../../messages.toml")).expect("the table is readable")
}

/// Returns the formats that are not incidents.
fn listed() -> BTreeSet<String> {
    table().reasons.into_iter().flat_map(|reason| reason.formats).collect()
}

/// Returns true if a sample of an incident has this format.
fn is_incident(format: &str) -> bool {
    let wordings = incident::all().iter().flat_map(|incident| &incident.wordings);
    is_telling(format)
        && wordings.flat_map(|wording| &wording.samples).any(|sample| is_format_of(format, sample))
}

#[test]
fn every_format_is_listed_once_with_a_reason() {
    let table = table();
    let formats = table.reasons.iter().flat_map(|reason| &reason.formats);
    let mut known = BTreeSet::new();
    for format in formats {
        assert!(known.insert(format), "{format} is listed twice");
        assert!(!is_incident(format), "{format} is an incident, and is listed, too");
    }
    assert!(table.reasons.iter().all(|reason| reason.why.len() > 20 && !reason.formats.is_empty()));
}

#[test]
fn every_message_of_every_release_is_an_incident_or_has_a_reason() {
    let all = upstream::releases();
    let reads_all = env::var_os("NRI_ALL_RELEASES").is_some();
    let chosen = if reads_all { all.iter().collect() } else { upstream::newest(&all) };
    let messages = upstream::messages(&chosen);
    let listed = listed();
    let (mut unknown, mut rows, mut present) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
    for (release, found) in &messages {
        rows.insert(name(release), row(found.as_ref(), &listed));
        for message in found.iter().flatten() {
            present.insert(message.format.clone());
            if !listed.contains(&message.format) && !is_incident(&message.format) {
                unknown.insert(format!(
                    "{} in {}: {:?}",
                    message.file,
                    name(release),
                    message.format
                ));
            }
        }
    }
    assert!(
        unknown.is_empty(),
        "messages that are neither incidents nor in messages.toml:\n{}",
        Vec::from_iter(unknown).join("\n")
    );
    let stale: Vec<&String> = listed.difference(&present).collect();
    assert!(!reads_all || stale.is_empty(), "no release has these messages: {stale:#?}");
    wordings_have_the_releases_that_print_them(&messages);
    assert_counts(&all, &rows, reads_all);
}

/// Compares the counts with those that are known. A release that is not known yet fails.
fn assert_counts(all: &[Upstream], rows: &BTreeMap<String, String>, reads_all: bool) {
    let counts = if reads_all { String::new() } else { snapshot::read(COUNTS) };
    let known: BTreeMap<&str, &str> =
        counts.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut text = String::new();
    for release in all {
        let name = name(release);
        let row = rows.get(&name).map(String::as_str).or_else(|| known.get(name.as_str()).copied());
        let row =
            row.unwrap_or("unknown: delete the snapshot, and write it with NRI_ALL_RELEASES=1");
        writeln!(text, "{name}\t{row}").expect("a text takes everything");
    }
    assert_same(COUNTS, &text);
}

fn name(release: &Upstream) -> String {
    format!("{} {}", release.title, release.version)
}

/// Returns the number of different messages of a release, of those that are incidents, and of the
/// others.
fn row(found: Option<&BTreeSet<Message>>, listed: &BTreeSet<String>) -> String {
    let Some(found) = found else {
        return "not served".to_owned();
    };
    let formats: BTreeSet<&String> = found.iter().map(|message| &message.format).collect();
    let others = formats.iter().filter(|format| listed.contains(**format)).count();
    format!("{} messages\t{} incidents\t{others} others", formats.len(), formats.len() - others)
}

/// The first and last release of one project that prints a wording: `containerd 1.7.0`.
struct Bounds {
    title: String,
    since: Version,
    until: Option<Version>,
}

fn bounds(wording: &Wording) -> Vec<Bounds> {
    let until: BTreeMap<String, Version> =
        releases(wording.until.as_deref().unwrap_or_default()).collect();
    releases(&wording.since)
        .map(|(title, since)| Bounds { until: until.get(&title).cloned(), title, since })
        .collect()
}

/// Returns the projects and versions in a text: `containerd 1.7.0, NRI v0.2.0`.
fn releases(text: &str) -> impl Iterator<Item = (String, Version)> {
    let version = |number: &str| Version::parse(number.trim_start_matches('v')).expect(number);
    let parts = text.split(", ").filter_map(|part| part.split_once(' '));
    parts.map(move |(title, number)| (title.to_owned(), version(number)))
}

/// Fails if a release prints a wording outside of its bounds, or does not print it within.
fn wordings_have_the_releases_that_print_them(messages: &BTreeMap<&Upstream, Messages>) {
    let incidents =
        incident::all().iter().filter(|incident| !incident.rule.id.starts_with(OF_STUB));
    let wordings = incidents.flat_map(|incident| &incident.wordings);
    let mut wrong = Vec::new();
    for wording in wordings {
        let bounds = bounds(wording);
        for (release, found) in messages {
            let Some(found) = found else { continue };
            let own = bounds.iter().find(|bounds| bounds.title == release.title);
            let expected = own.is_some_and(|own| own.contains(&release.version));
            let prints = prints(wording, found);
            // Runtimes repeat the errors of NRI, and samples show how.
            let is_repeated = own.is_none() && bounds.iter().any(|bounds| bounds.title == "NRI")
                || release.title == "NRI" && own.is_none();
            if prints != expected && !is_repeated {
                let verb = if prints { "prints" } else { "does not print" };
                wrong.push(format!("{} {verb} `{}`", name(release), wording.pattern));
            }
        }
    }
    assert!(wrong.is_empty(), "`since` or `until` of wordings is wrong:\n{}", wrong.join("\n"));
}

impl Bounds {
    fn contains(&self, version: &Version) -> bool {
        *version >= self.since && self.until.as_ref().is_none_or(|until| version <= until)
    }
}

/// Returns true if one of these formats is that of a sample, and shares words with the pattern:
/// samples have several formats, one within the other.
fn prints(wording: &Wording, found: &BTreeSet<Message>) -> bool {
    let words = words(&wording.pattern);
    let shares = |format: &str| {
        constant_parts(format)
            .into_iter()
            .any(|part| words.iter().any(|words| part.contains(words) || words.contains(&part)))
    };
    let mut formats = found
        .iter()
        .map(|message| message.format.as_str())
        .filter(|format| is_telling(format) && shares(format));
    formats.any(|format| wording.samples.iter().any(|sample| is_format_of(format, sample)))
}

/// The minimum length of words by which a pattern is told from others.
const MIN_WORDS: usize = 9;

/// Returns the constant words of a pattern, which has placeholders in capital letters.
fn words(pattern: &str) -> Vec<&str> {
    let mut words = vec![pattern];
    for placeholder in ["FAILED", "QUALIFIED", "NAME", "STEP"] {
        words = words.into_iter().flat_map(|part| part.split(placeholder)).collect();
    }
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || " ,:-".contains(letter);
    let parts = words.into_iter().flat_map(|part| part.split(|letter| !is_word(letter)));
    parts.map(|word| word.trim_start_matches(':')).filter(|word| word.len() >= MIN_WORDS).collect()
}

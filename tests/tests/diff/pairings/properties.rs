//! Properties of the pairings with randomly changed protocols.

use fastrand::Rng;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::pairing::{Pairing, PairingOutcome};

use super::{assert_consistent, compare_newest, newest};

/// Replaces a random field type, label, number or RPC message.
fn mutate(text: &str, rng: &mut Rng) -> (String, String) {
    const TYPES: [&str; 12] = [
        "string",
        "bytes",
        "int32",
        "uint64",
        "sint32",
        "bool",
        "Mount",
        "OptionalInt64",
        "map<string, string>",
        "map<string, int32>",
        "map<int64, string>",
        "map<string, Mount>",
    ];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let targets: Vec<usize> = (0..lines.len()).filter(|&at| is_target(&lines[at])).collect();
    let at = targets[rng.usize(..targets.len())];
    let line = &mut lines[at];
    let before = line.trim().to_owned();
    let words: Vec<&str> =
        before.split("//").next().unwrap_or_default().split_whitespace().collect();
    *line = match (words.as_slice(), rng.u8(..6)) {
        (_, 0) => String::new(),
        (["rpc", ..], 1) => before.replacen('(', "(stream ", 1),
        (["rpc", ..], _) => {
            let other =
                ["Empty", "Container", "StateChangeEvent", "SynchronizeResponse"][rng.usize(..4)];
            let start = before.find('(').map_or(0, |open| open + 1);
            let end = before.find(')').unwrap_or(start);
            format!("{}{other}{}", &before[..start], &before[end..])
        }
        ([.., "=", _], 1) => {
            let cut = before.find('=').unwrap_or(0);
            format!("{}= {};", &before[..cut], rng.usize(20..90))
        }
        (["map<string,", "string>", name, "=", number], 2..)
        | ([_, name, "=", number] | [_, _, name, "=", number], 2..) => {
            let label = ["", "", "repeated "][rng.usize(..3)];
            let of = TYPES[rng.usize(..TYPES.len())];
            let label = if of.starts_with("map") { "" } else { label };
            format!("{label}{of} {name} = {number}")
        }
        (_, _) => before.clone(),
    };
    let change = format!("{before} -> {line}");
    (lines.join("\n"), change)
}

/// Returns true if a line declares a field, a value or an RPC.
fn is_target(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default().trim();
    code.ends_with(';')
        && (code.contains(" = ") || code.starts_with("rpc "))
        && !code.starts_with("option")
}

/// The trouble of a pairing comes from the only change, so that some finding about it must not say
/// that peers are unaffected.
#[test]
fn a_change_that_hurts_peers_is_not_called_harmless() {
    let before = newest();
    let mut rng = Rng::with_seed(5);
    let mut hurt = 0;
    for _ in 0..100 {
        let (after, change) = mutate(&before, &mut rng);
        let Some(report) = compare_newest(&after, Category::File) else {
            continue;
        };
        let mut outcomes = report.pairings.iter().map(Pairing::outcome);
        if !outcomes.any(|outcome| outcome > PairingOutcome::Loses) {
            continue;
        }
        hurt += 1;
        let harmless = |text: &str| text.contains("NRI peers still understand each other");
        let mut findings = report.findings.iter();
        assert!(
            findings.any(|finding| finding.level != Level::Note && !harmless(&finding.message)),
            "{change}: {:#?}",
            report.findings
        );
    }
    assert!(hurt > 30, "{hurt}");
}

#[test]
fn errors_and_pairings_never_contradict_each_other() {
    let before = newest();
    let mut rng = Rng::with_seed(4);
    let mut compared = 0;
    for round in 0..160 {
        let (mut after, mut changes) = (before.clone(), Vec::new());
        for _ in 0..rng.usize(1..4) {
            let (text, change) = mutate(&after, &mut rng);
            after = text;
            changes.push(change);
        }
        let category =
            [Category::File, Category::Package, Category::WireJson, Category::Wire][round % 4];
        if let Some(report) = compare_newest(&after, category) {
            compared += 1;
            assert_consistent(&report, &changes.join("; "));
        }
    }
    assert!(compared > 80, "{compared}");
}

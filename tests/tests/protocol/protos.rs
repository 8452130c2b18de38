//! The embedded protos: they match NRI's protocol, and every element is documented.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use nri_protos::{REVISIONS, Revision};
use nri_schema::history::History;
use nri_tests::outline::{Element, Kind, outline};
use similar::TextDiff;

/// Fields that need no comment: the one field of each `Optional…` message.
const SELF_EXPLAINING: &[&str] = &["value"];

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/protos")
}

fn elements(revision: &Revision) -> Vec<Element> {
    outline(revision.proto)
        .unwrap_or_else(|error| panic!("{} does not compile: {error:?}", revision.name))
}

/// The fingerprints were written from recorded facts about NRI's own protos, so a slip here cannot
/// slip in there too.
///
/// `NRI_WRITE_SNAPSHOTS=1` writes the one of a new revision, to be reviewed; one that exists is
/// never rewritten.
#[test]
fn every_proto_matches_its_fingerprint_and_every_fingerprint_has_a_proto() {
    for revision in REVISIONS {
        let actual: String =
            elements(revision).iter().map(|element| format!("{}\n", element.line)).collect();
        let expected = fingerprint(revision, &actual);
        let diff = TextDiff::from_lines(&expected, &actual)
            .unified_diff()
            .context_radius(1)
            .header("fingerprint", "proto")
            .to_string();
        assert!(
            diff.is_empty(),
            "revision {} is not what its fingerprint says
{diff}",
            revision.name
        );
    }
    every_fingerprint_has_a_revision();
}

fn fingerprint(revision: &Revision, actual: &str) -> String {
    let path = snapshots().join(format!("{}.txt", revision.name));
    if !path.exists() && std::env::var_os("NRI_WRITE_SNAPSHOTS").is_some() {
        std::fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The table of RPCs by which a runtime sends events, and a probe calls plugins, is that of the
/// protos.
#[test]
fn every_release_has_the_rpcs_that_its_proto_declares() {
    let history = History::embedded().unwrap();
    for release in history.releases() {
        let proto = history.revision_of(release).unwrap().protocol().unwrap();
        let service = proto.service("Plugin").expect("every proto has it");
        let declared: BTreeSet<&str> = service.rpcs.iter().map(|rpc| rpc.name.as_str()).collect();
        let spoken = nri_adaptation::Revision::of(&release.name).unwrap();
        let known: BTreeSet<&str> = nri_adaptation::Revision::rpcs()
            .iter()
            .filter(|rpc| spoken.has_rpc(rpc.name))
            .map(|rpc| rpc.name)
            .collect();
        assert_eq!(known, declared, "{}", release.name);
    }
}

fn every_fingerprint_has_a_revision() {
    let files = std::fs::read_dir(snapshots()).expect("snapshots/protos exists");
    let mut found: Vec<String> = files
        .map(|file| {
            file.expect("readable").path().file_stem().expect("a name").display().to_string()
        })
        .collect();
    let mut expected: Vec<&str> = REVISIONS.iter().map(|revision| revision.name).collect();
    found.sort();
    expected.sort();
    assert_eq!(expected, found);
}

#[test]
fn revisions_are_in_order_and_each_differs_from_the_one_before() {
    let lines =
        |revision| elements(revision).into_iter().map(|element| element.line).collect::<Vec<_>>();
    for pair in REVISIONS.windows(2) {
        let [old, new] = pair else { unreachable!("windows of two") };
        assert!(version(old) < version(new), "{} stands before {}", old.name, new.name);
        assert_ne!(lines(old), lines(new), "{} and {} are one revision", old.name, new.name);
    }
}

/// Major, minor, patch, and whether it is tagged: a pseudo-version precedes the tag that it counts
/// towards.
fn version(revision: &Revision) -> (Vec<u32>, bool) {
    let (numbers, rest) = revision.name[1..].split_once('-').unwrap_or((&revision.name[1..], ""));
    (numbers.split('.').map(|number| number.parse().expect("a number")).collect(), rest.is_empty())
}

#[test]
fn every_element_has_a_comment() {
    for revision in REVISIONS {
        let bare: Vec<String> = elements(revision)
            .into_iter()
            .filter(|element| element.kind != Kind::File && element.comment.is_none())
            .map(|element| element.name)
            .filter(|name| !SELF_EXPLAINING.contains(&name.rsplit('.').next().unwrap_or(name)))
            .collect();
        assert_eq!(Vec::<String>::new(), bare, "revision {}: these have no comment", revision.name);
    }
}

/// Returns the release that a comment claims in "Since v0.10.0.", and "Since v0.9.1-0.…-…, which is
/// untagged; …".
fn claimed(comment: &str) -> Vec<&str> {
    let claims = comment.split("Since ").skip(1).filter_map(|rest| rest.split(' ').next());
    claims
        .filter(|word| word.starts_with("v0."))
        .map(|word| word.trim_end_matches([',', '.']))
        .collect()
}

#[test]
fn since_in_comments_agrees_with_the_history() {
    let mut first: HashMap<String, &str> = HashMap::new();
    let oldest = REVISIONS[0].name;
    let mut claims = 0;
    for revision in REVISIONS {
        for element in elements(revision).iter().filter(|element| element.kind != Kind::File) {
            let since = *first.entry(element.name.clone()).or_insert(revision.name);
            let parent = element.name.rsplit_once('.').map_or(oldest, |(parent, _)| first[parent]);
            let expected: &[&str] = if since == parent || since == oldest { &[] } else { &[since] };
            let comment = element.comment.as_deref().unwrap_or("");
            assert_eq!(
                expected,
                claimed(comment),
                "revision {}, {}: {comment}",
                revision.name,
                element.name
            );
            claims += expected.len();
        }
    }
    assert!(
        claims > 300,
        "only {claims} comments claim a release: does the reader of comments still work?"
    );
}

/// A comment calls something deprecated only if it is so in that revision: StateChange from v0.12.0
/// on.
#[test]
fn state_change_is_deprecated_where_its_events_have_rpcs() {
    for revision in REVISIONS {
        let elements = elements(revision);
        let comment = |name: &str| {
            let element = elements.iter().find(|element| element.name == name);
            element
                .and_then(|element| element.comment.as_deref())
                .unwrap_or_else(|| panic!("{name} has a comment"))
        };
        let dedicated = elements.iter().any(|element| element.name == "Plugin.RunPodSandbox");
        for name in ["Plugin.StateChange", "StateChangeEvent"] {
            let says_so = comment(name).contains("eprecated in v0.12.0")
                || comment(name).contains("Deprecated with it");
            assert_eq!(dedicated, says_so, "revision {}, {name}", revision.name);
        }
    }
}

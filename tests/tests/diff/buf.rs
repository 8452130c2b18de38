//! Our breaking findings against those of the real buf: rule, file, line and column, each as often
//! as buf prints it.
//!
//! Needs the feature `buf` and a buf, see `nri_tests::buf`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nri_compat::rules;
use nri_protos::{REVISIONS, Revision};
use nri_tests::accepted;
use nri_tests::buf::Buf;
use nri_tests::compare::{CATEGORIES, Difference, Side, compare, text};
use nri_tests::fixtures::{self, Fixture};
use nri_tests::random::SchemaCase;

/// Each category has the same rules, so that the other tests may compare all categories at once.
#[test]
fn categories() {
    let buf = Buf::find().expect("buf is installed");
    let mut theirs = buf.rules().unwrap();
    theirs.retain(|_, categories| {
        categories.retain(|name| CATEGORIES.iter().any(|category| category.as_str() == name));
        !categories.is_empty()
    });
    let ours: BTreeMap<String, BTreeSet<String>> = rules::all()
        .filter(|rule| CATEGORIES.iter().any(|category| rule.categories.contains(category)))
        .map(|rule| {
            let categories = rule.categories.iter().map(|category| category.as_str().to_owned());
            (rule.id.to_owned(), categories.collect())
        })
        .collect();
    assert_eq!(ours, theirs);
}

/// Every ordered pair of protocol revisions.
#[test]
fn revisions() {
    let buf = Buf::find().expect("buf is installed");
    let root = tempfile::tempdir().unwrap();
    let sides: Vec<Side> = REVISIONS.iter().map(|revision| side(root.path(), revision)).collect();
    let mut total = 0;
    for (from, old) in REVISIONS.iter().zip(&sides) {
        for (to, new) in REVISIONS.iter().zip(&sides) {
            let (differ, shared) = compare(&buf, old, new, &CATEGORIES).unwrap();
            assert!(differ.is_empty(), "{} to {}:\n{}", from.name, to.name, text(&differ));
            total += shared;
        }
    }
    assert!(total > 1000, "only {total} annotations compared");
}

fn side(root: &Path, revision: &Revision) -> Side {
    let folder = root.join(revision.name);
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("api.proto"), revision.proto).unwrap();
    Side::new(&folder).unwrap()
}

/// Every fixture, in both directions.
#[test]
fn fixtures() {
    let buf = Buf::find().expect("buf is installed");
    for Fixture { rule, previous, current } in fixtures::all() {
        for (from, to, direction) in
            [(&previous, &current, "forward"), (&current, &previous, "backward")]
        {
            let (differ, shared) = compare(&buf, from, to, &CATEGORIES).unwrap();
            assert!(differ.is_empty(), "{rule}, {direction}:\n{}", text(&differ));
            assert!(shared > 0 || direction == "backward", "{rule}: nothing to compare");
        }
    }
}

/// Descriptor sets that buf made: with its own places, which are taken as they are, and without
/// any.
#[test]
fn descriptor_sets() {
    let buf = Buf::find().expect("buf is installed");
    let editions = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/editions");
    sets(&buf, &editions, true);
    sets(&buf, &editions, false);
    for rule in fixtures::names(&fixtures::root()) {
        sets(&buf, &fixtures::root().join(rule), false);
    }
}

fn sets(buf: &Buf, fixture: &Path, source_info: bool) {
    let root = tempfile::tempdir().unwrap();
    let [from, to] = ["previous", "current"].map(|name| {
        let set = root.path().join(name).with_extension("binpb");
        buf.build(&fixture.join(name), &set, source_info).unwrap();
        Side::set(&set).unwrap()
    });
    for (old, new, direction) in [(&from, &to, "forward"), (&to, &from, "backward")] {
        let (differ, shared) = compare(buf, old, new, &CATEGORIES).unwrap();
        let name = fixture.display();
        assert!(
            differ.is_empty(),
            "{name}, {direction}, places: {source_info}:\n{}",
            text(&differ)
        );
        assert!(shared > 0 || direction == "backward", "{name}: nothing to compare");
    }
}

/// A difference is accepted only as long as there is one.
#[test]
fn accepted_differences_exist() {
    let buf = Buf::find().expect("buf is installed");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/buf-differences");
    let [from, to] = ["previous", "current"].map(|name| Side::new(&root.join(name)).unwrap());
    let (differ, shared) = compare(&buf, &from, &to, &CATEGORIES).unwrap();
    assert!(differ.is_empty() && shared > 0, "{}", text(&differ));
    let printed = buf.breaking(&from.path, &to.path, &["PACKAGE"]).unwrap();
    for accepted in accepted::all() {
        assert!(printed.iter().any(|printed| accepted.is(printed)), "no longer: {accepted:?}");
    }
}

/// Random schemas with random changes. `NRI_BUF_CASES` says how many, `NRI_BUF_SEED` where to
/// start.
#[test]
fn random_schemas() {
    let buf = Buf::find().expect("buf is installed");
    let (first, cases) = (number("NRI_BUF_SEED", 1), number("NRI_BUF_CASES", 60));
    let (mut total, mut refused, mut differing) = (0, Vec::new(), String::new());
    for seed in first..first + cases {
        match random_schema(&buf, seed) {
            Ok((differ, _)) if !differ.is_empty() => {
                let changes = SchemaCase::new(seed).changes.join(", ");
                differing += &format!("seed {seed} ({changes}):\n{}", text(&differ));
            }
            Ok((_, shared)) => total += shared,
            Err(error) => refused.push((seed, error)),
        }
    }
    println!(
        "{cases} cases from seed {first}: {total} annotations agree, {} cases refused",
        refused.len()
    );
    assert!(differing.is_empty(), "{differing}");
    for (seed, error) in refused.iter().take(3) {
        println!("seed {seed} refused: {error}");
    }
    assert!(
        refused.len() as u64 * 10 <= cases,
        "{} of {cases} cases do not compile",
        refused.len()
    );
    assert!(total as u64 >= cases, "only {total} annotations in {cases} cases");
}

fn random_schema(buf: &Buf, seed: u64) -> Result<(Vec<Difference>, usize), String> {
    let root = tempfile::tempdir().unwrap();
    SchemaCase::new(seed).write(root.path()).unwrap();
    let from = Side::new(&root.path().join("before"))?;
    let to = Side::new(&root.path().join("after"))?;
    compare(buf, &from, &to, &CATEGORIES)
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

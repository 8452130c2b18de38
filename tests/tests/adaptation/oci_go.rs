//! Compares adjusted OCI specs with those of the reference: the same spec, or an error about the
//! same field; and the container that is read from the adjusted spec.
//!
//! `NRI_OCI_CASES` and `NRI_OCI_SEED` set the number of cases and the first seed. Some mounts have
//! mount points of this machine as their source; run the test under `unshare --mount`, with a few
//! mounts made shared, if the machine has no shared ones. `nri-adaptation/src/oci/differences.md`
//! lists the accepted differences; `oci/differences.rs` handles each of them.

mod callbacks;
mod differences;
mod normal;
mod read;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;

use nri::api::{ContainerAdjustment, CreateContainerResponse};
use nri::codec::Message;
use nri_adaptation::merge::CreateCollector;
use nri_adaptation::oci::{Error, Generator, from_value, to_value};
use nri_tests::adjustments::Density;
use nri_tests::specs::Specs;
use nri_tests::{hex, peers};
use serde_json::{Value, json};

use crate::go_merge::number;
use differences::{DIFFERENCES, Difference, How};

/// A spec and an adjustment.
struct Case {
    spec: Value,
    adjustment: ContainerAdjustment,
    callbacks: bool,
}

#[test]
fn the_same_spec_or_an_error() {
    let cases: Vec<Case> = seeds().map(case).collect();
    let ours: Vec<_> = cases.iter().map(apply).collect();
    let mut seen = Counts::default();
    let asked: Vec<Case> = cases.iter().map(|case| seen.prepared(case)).collect();
    let theirs = ask(asked.iter().zip(&ours));
    let mut failures = Vec::new();
    for (((case, prepared), applied), answer) in cases.iter().zip(&asked).zip(&ours).zip(&theirs) {
        let differing = seen.compare(case, applied, answer);
        if !differing.is_empty() {
            let adjustment = serde_json::to_value(&prepared.adjustment).unwrap();
            failures.push(format!("{}\n{}\n{adjustment}\n", differing.join("\n"), case.spec));
        }
    }
    let shown: String = failures.iter().take(5).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} failures:\n{shown}", failures.len());
    println!("{seen:#?}");
    seen.check(cases.len());
}

#[test]
fn the_list_has_what_is_accepted() {
    let list = include_str!("../../../nri-adaptation/src/oci/differences.md");
    let rows = list.lines().skip(2);
    let listed: Vec<&str> = rows.map(|row| row.split('`').nth(1).expect(row)).collect();
    let accepted: Vec<&str> = DIFFERENCES.iter().map(|it| it.id).collect();
    assert_eq!(listed, accepted);
}

fn seeds() -> impl Iterator<Item = u64> {
    let first = number("NRI_OCI_SEED", 1);
    first..first + number("NRI_OCI_CASES", 12_000)
}

/// Returns the case for a seed. Every second adjustment is merged from those of up to three
/// plugins.
fn case(seed: u64) -> Case {
    let density = Density {
        field: [0.2, 0.35, 0.5][(seed % 3) as usize],
        names: [3, 8, 30][(seed / 3 % 3) as usize],
    };
    let mut random = Specs::new(seed, density);
    let spec = random.spec();
    let adjustment = if seed.is_multiple_of(2) {
        random.adjustment()
    } else {
        merged(&mut random, 1 + seed / 2 % 3)
    };
    Case { spec, adjustment, callbacks: !seed.is_multiple_of(5) }
}

fn merged(random: &mut Specs, plugins: u64) -> ContainerAdjustment {
    let mut collector = CreateCollector::new(nri::api::Container::default());
    for plugin in 0..plugins {
        let answer = CreateContainerResponse {
            adjust: Some(random.adjustment()),
            ..CreateContainerResponse::default()
        };
        let mut tried = collector.clone();
        if tried.apply(&format!("{plugin:02}-plugin"), answer).is_ok() {
            collector = tried;
        }
    }
    collector.finish().adjust
}

fn apply(case: &Case) -> Result<Value, Error> {
    let before = from_value(case.spec.clone()).expect("the specs are readable");
    let mut spec = before.clone();
    let mut generator = Generator::new(&mut spec);
    if case.callbacks {
        generator = callbacks::set(generator);
    }
    let result = generator.apply(&case.adjustment);
    drop(generator);
    if result.is_err() {
        assert_eq!(spec, before, "an adjustment that fails changes nothing");
    }
    result.map(|()| to_value(&spec).expect("paths are UTF-8"))
}

/// The number of occurrences of each difference and of each kind of result.
#[derive(Debug, Default)]
struct Counts {
    differences: BTreeMap<&'static str, usize>,
    specs: usize,
    errors: usize,
}

impl Counts {
    fn count(&mut self, difference: &Difference, occurs: bool) {
        *self.differences.entry(difference.id).or_default() += usize::from(occurs);
    }

    /// Returns the case for the reference, changed so that it has the same meaning there.
    fn prepared(&mut self, case: &Case) -> Case {
        let mut asked = Case {
            spec: case.spec.clone(),
            adjustment: case.adjustment.clone(),
            callbacks: case.callbacks,
        };
        for difference in DIFFERENCES {
            for how in difference.how {
                let How::Asked(change) = how else { continue };
                let before = (asked.spec.clone(), asked.adjustment.clone());
                change(&mut asked);
                let is_changed = before.0 != asked.spec || before.1 != asked.adjustment;
                self.count(difference, is_changed);
            }
        }
        asked
    }

    fn compare(&mut self, case: &Case, ours: &Result<Value, Error>, theirs: &Value) -> Vec<String> {
        let message = theirs["error"].as_str().unwrap();
        match ours {
            Err(error) if self.is_accepted(error) => Vec::new(),
            Err(error) => {
                self.errors += 1;
                let is_same = normal::topic_of(error) == normal::topic(message);
                let differs = (!is_same).then(|| format!("theirs {message:?}, ours {error}"));
                differs.into_iter().collect()
            }
            Ok(_) if !message.is_empty() => vec![format!("theirs {message:?}, ours a spec")],
            Ok(adjusted) => {
                self.specs += 1;
                let container = read::differing(adjusted, &theirs["container"]);
                let [mut reference, mut own] = ["spec", "ours"].map(|key| theirs[key].clone());
                self.settle(case, &mut reference, &mut own);
                let spec = normal::differing(&normal::spec(reference), &normal::spec(own), "");
                spec.into_iter().chain(container).collect()
            }
        }
    }

    fn is_accepted(&mut self, error: &Error) -> bool {
        let mut is_accepted = false;
        for difference in DIFFERENCES {
            for how in difference.how {
                let How::Error(accepts) = how else { continue };
                self.count(difference, accepts(error));
                is_accepted |= accepts(error);
            }
        }
        is_accepted
    }

    /// Removes the accepted differences from the resulting specs.
    fn settle(&mut self, case: &Case, theirs: &mut Value, ours: &mut Value) {
        for difference in DIFFERENCES {
            for how in difference.how {
                let How::Result(change) = how else { continue };
                let before = (theirs.clone(), ours.clone());
                change(case, theirs, ours);
                self.count(difference, before.0 != *theirs || before.1 != *ours);
            }
        }
    }

    /// Checks that specs, errors and every difference occurred. A difference that never occurs is
    /// untested or outdated.
    fn check(&self, cases: usize) {
        if cases < 5_000 {
            return;
        }
        assert!(self.specs > cases / 2, "{self:?}");
        assert!(self.errors > cases / 100, "{self:?}");
        let absent = self.differences.iter().filter(|(_, count)| **count == 0);
        assert_eq!(absent.count(), 0, "{self:?}");
    }
}

/// Applies all adjustments with the reference.
fn ask<'a>(cases: impl Iterator<Item = (&'a Case, &'a Result<Value, Error>)>) -> Vec<Value> {
    let mut input = tempfile::NamedTempFile::new().unwrap();
    for (case, ours) in cases {
        let line = json!({
            "spec": case.spec,
            "adjust": hex::encode(&case.adjustment.encode_to_vec()),
            "callbacks": case.callbacks,
            "ours": ours.as_ref().ok(),
        });
        writeln!(input, "{line}").unwrap();
    }
    let output = peers::run(Command::new(peers::oci()).stdin(input.reopen().unwrap()));
    output.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

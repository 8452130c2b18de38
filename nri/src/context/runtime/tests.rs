use proptest::prelude::*;
use toml::de::{DeTable, DeValue};

use super::*;

fn nri_of(name: &str, version: &str, nri: &str) -> Option<String> {
    Runtime::new(name, version, nri).nri_version()
}

/// A version of Go for a commit between two releases.
const PSEUDO: &str = "0.12.6-0.20261111000000-0123456789ab";

const CRIO_1_33: Option<&str> = Some("0.9.1-0.20250219030224-e597e7849f24");

#[test]
fn the_release_is_what_the_runtime_reports_or_what_its_version_links() {
    for (name, version, nri, expected) in [
        ("containerd", "v2.2.1", "v0.12.3", Some("0.12.3")),
        ("", "", PSEUDO, Some(PSEUDO)),
        // Builds without module information report nothing.
        ("containerd", "v2.2.1", "", Some("0.11.0")),
        ("containerd", "v2.2.1", "(devel)", Some("0.11.0")),
        ("containerd", "v2.2.1", "0.0.0-unknown", Some("0.11.0")),
        ("containerd", "v2.2.1", "v0.0.0-2020-01ab", Some("0.11.0")),
        ("containerd", "v2.2.1", "unknown", Some("0.11.0")),
        ("some-runtime", "v2.2.1", "(devel)", None),
        // Runtimes write versions in several ways.
        ("cri-o", "1.33.4", "", CRIO_1_33),
        ("cri-o", "v1.33.4", "", CRIO_1_33),
        ("cri-o", "1.33.4+unknown", "", CRIO_1_33),
        ("cri-o", "1.33.4~ds1", "", CRIO_1_33),
        ("cri-o", " 1.33.4 ", "", CRIO_1_33),
        ("cri-o", "1.33", "", CRIO_1_33),
        ("cri-o", "1.33.4-k3s1", "", CRIO_1_33),
        ("cri-o", "", "", None),
        ("containerd", "v1.4.0", "", None),
    ] {
        let found = nri_of(name, version, nri);
        assert_eq!(found.as_deref(), expected, "{name} {version:?} {nri:?}");
    }
}

#[test]
fn a_pre_release_is_taken_for_what_came_before() {
    let before = nri_of("cri-o", "1.32.99", "");
    assert_ne!(nri_of("cri-o", "1.33.0", ""), before);
    assert_eq!(nri_of("cri-o", "1.33.0-dev", ""), before);
}

#[test]
fn a_release_newer_than_the_table_is_taken_for_the_newest() {
    assert_eq!(nri_of("cri-o", "1.99.0", ""), nri_of("cri-o", "1.37.0", ""));
}

#[test]
fn every_released_runtime_is_known() {
    let table = DeTable::parse(nri_protos::RUNTIMES_TOML).unwrap();
    let mut checked = 0;
    for entry in table.get_ref()["runtime"].get_ref().as_array().unwrap() {
        let entry = entry.get_ref();
        for name in entry["reports_as"].get_ref().as_array().unwrap() {
            for release in entry["releases"].get_ref().as_array().unwrap() {
                check(name.get_ref().as_str().unwrap(), release.get_ref());
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "{checked}");
}

fn check(name: &str, release: &DeValue<'_>) {
    let version = release["release"].get_ref().as_str().unwrap();
    let linked = release["nri"].get_ref().as_str().unwrap().trim_start_matches('v');
    // NRI v0.1 is the previous generation: no such runtime speaks this protocol.
    let expected = (!linked.starts_with("0.1.")).then(|| linked.to_owned());
    assert_eq!(nri_of(name, version, ""), expected, "{name} {version}");
}

#[test]
fn is_shown_with_all_that_is_known() {
    let shown = |name, version, nri| Runtime::new(name, version, nri).to_string();
    assert_eq!(shown("containerd", "v2.4.2", "v0.12.3"), "containerd v2.4.2 (NRI v0.12.3)");
    assert_eq!(
        shown("cri-o", "1.36.1", ""),
        "cri-o 1.36.1 (NRI v0.11.0, inferred from its version)"
    );
    assert_eq!(shown("", "", ""), "a runtime without a name (NRI version unknown)");
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(name in ".*", version in ".*", nri in ".*") {
        let _ = Runtime::new(&name, &version, &nri).to_string();
        let _ = Runtime::new("containerd", &version, &nri).is_at_least("v0.12.4");
    }
}

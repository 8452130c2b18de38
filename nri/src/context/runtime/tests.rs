use proptest::prelude::*;
use toml::de::{DeTable, DeValue};

use super::*;

fn nri_of(name: &str, version: &str, nri: &str) -> Option<String> {
    Runtime::new(name, version, nri).nri_version()
}

#[test]
fn what_the_runtime_says_beats_its_version() {
    assert_eq!(
        nri_of("containerd", "v2.2.1", "v0.12.3").as_deref(),
        Some("0.12.3")
    );
    let pseudo = "v0.12.6-0.20261111000000-0123456789ab";
    assert_eq!(nri_of("", "", pseudo).as_deref(), pseudo.strip_prefix('v'));
}

#[test]
fn a_build_without_module_information_says_nothing() {
    for nothing in [
        "",
        "(devel)",
        "0.0.0-unknown",
        "v0.0.0-20200101000000-0123456789ab",
        "unknown",
    ] {
        assert_eq!(
            nri_of("containerd", "v2.2.1", nothing).as_deref(),
            Some("0.11.0"),
            "{nothing:?}"
        );
        assert_eq!(
            nri_of("some-runtime", "v2.2.1", nothing),
            None,
            "{nothing:?}"
        );
    }
}

#[test]
fn versions_are_read_as_runtimes_write_them() {
    for version in [
        "1.33.4",
        "v1.33.4",
        "1.33.4+unknown",
        "1.33.4~ds1",
        " 1.33.4 ",
        "1.33",
        "1.33.4-k3s1",
    ] {
        let nri = nri_of("cri-o", version, "");
        assert_eq!(
            nri.as_deref(),
            Some("0.9.1-0.20250219030224-e597e7849f24"),
            "{version:?}"
        );
    }
    assert_eq!(nri_of("cri-o", "", ""), None);
    assert_eq!(nri_of("containerd", "v1.4.0", ""), None);
}

#[test]
fn a_pre_release_is_taken_for_what_came_before() {
    let before = nri_of("cri-o", "1.32.99", "");
    assert_ne!(nri_of("cri-o", "1.33.0", ""), before);
    assert_eq!(nri_of("cri-o", "1.33.0-dev", ""), before);
}

#[test]
fn a_release_newer_than_the_table_is_taken_for_the_newest() {
    assert_eq!(nri_of("cri-o", "1.99.0", ""), nri_of("cri-o", "1.36.3", ""));
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
    let linked = release["nri"].get_ref().as_str().unwrap();
    let linked = linked.trim_start_matches('v');
    // NRI v0.1 is the previous generation: no such runtime speaks this protocol.
    let expected = (!linked.starts_with("0.1.")).then(|| linked.to_owned());
    assert_eq!(nri_of(name, version, ""), expected, "{name} {version}");
}

#[test]
fn is_shown_with_all_that_is_known() {
    let shown = |name, version, nri| Runtime::new(name, version, nri).to_string();
    assert_eq!(
        shown("containerd", "v2.4.2", "v0.12.3"),
        "containerd v2.4.2 (NRI v0.12.3)"
    );
    assert_eq!(
        shown("cri-o", "1.36.1", ""),
        "cri-o 1.36.1 (NRI v0.11.0, inferred from its version)"
    );
    assert_eq!(
        shown("", "", ""),
        "a runtime without a name (NRI version unknown)"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(name in ".*", version in ".*", nri in ".*") {
        let _ = Runtime::new(&name, &version, &nri).to_string();
        let _ = Runtime::new("containerd", &version, &nri).is_at_least("v0.12.4");
    }
}

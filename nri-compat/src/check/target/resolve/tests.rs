//! Tests of names and substitutes, with the tables of this build.

use super::*;

fn resolve(spec: &str, strict: bool, assume: Option<&str>) -> Result<CheckTarget, Error> {
    let history = History::embedded().expect("the tables fit together");
    let assume = assume.map(str::to_owned);
    let unknown = UnknownReleases { strict, assume };
    Target::resolve(&history, spec, &unknown).map(|target| target.head)
}

/// The target that a user names, the release that it stands for, the known one as which it is
/// judged, and whether it is planned, or has to be shown as it was given.
const KNOWN: &str = "\
nri@0.11 | nri@0.11.0 | |
nri@0.11.7 | nri@0.11.7 | nri@0.11.0 |
nri@v0.9.1-0.20250219030224-e597e7849f24 | nri@0.9.1-0.20250219030224-e597e7849f24 | |
containerd@1.6.4 | containerd@1.6.4 | |
containerd@2.4.99 | containerd@2.4.99 | containerd@2.4 |
containerd@2.7 | containerd@2.7 | | planned
containerd@v2.7.0 | containerd@2.7 | | planned
containerd://2.2.1-k3s1 | containerd@2.2.1 | | given
rke2@v1.34.5+rke2r1 | containerd@2.1.5 | | given
rke2@1.25.15 | containerd@1.7.7 | | given
k0s@1.36 | containerd@2.3.3 | | given
talos@1.13 | containerd@2.2.7 | | given
containerd@2.3.0-rc.1 | containerd@2.3.0 | containerd@2.3.0 | given
cri-o@1.33.99-3.rhaos4.20 | cri-o@1.33.99 | cri-o@1.33 | given";

#[test]
fn names_stand_for_releases_or_substitutes() {
    for row in KNOWN.lines() {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let target = resolve(columns[0], false, None).expect(row);
        assert_eq!(target.name, columns[1]);
        let known = resolve(columns[2], false, None).ok();
        let assumed = known.as_ref().map(|known| known.name.split_once('@'));
        let version = assumed.map(|name| name.expect(row).1);
        assert_eq!(target.assumed.as_deref(), version, "{row}");
        assert!(known.is_none_or(|known| known.nri == target.nri), "{row}");
        assert_eq!(target.planned, columns[3] == "planned", "{row}");
        let given = (columns[3] == "given").then_some(columns[0]);
        assert_eq!(target.given.as_deref(), given, "{row}");
    }
    for (spec, nri) in [("nri@0.11", "v0.11.0"), ("containerd@1.6.4", "v0.1.0")] {
        assert_eq!(resolve(spec, false, None).expect(spec).nri, nri);
    }
}

/// A target that is newer than the tables, the release of which it takes the rest, and whether it
/// has to be shown as it was given.
const NEWER: &str = "\
containerd@2.5.1 | containerd@2.5.1 | containerd@latest |
containerd@2.6 | containerd@2.6 | containerd@latest |
containerd://2.5.1-k3s1 | containerd@2.5.1 | containerd@latest | given
containerd@2.8.0 | containerd@2.8.0 | containerd@latest |
cri-o@1.39 | cri-o@1.39 | cri-o@latest |
nri@0.13 | nri@0.13 | nri@latest |
k0s@1.40 | containerd@2.3.3 | k0s@latest | given
rke2@v1.34.99+rke2r1 | containerd@2.2.6 | rke2@1.34 | given";

#[test]
fn newer_releases_are_judged_as_the_newest_known_one() {
    let history = History::embedded().expect("the tables fit together");
    for row in NEWER.lines() {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let target = resolve(columns[0], false, None).expect(row);
        let known = resolve(columns[2], false, None).expect(row);
        assert_eq!((&*target.name, &target.nri), (columns[1], &known.nri), "{row}");
        assert_eq!(target.newer_than_data.as_deref(), Some(history.date()), "{row}");
        let given = (columns[3] == "given").then_some(columns[0]);
        assert_eq!(target.given.as_deref(), given, "{row}");
        assert!(target.assumed.is_some(), "{row}");
    }
}

#[test]
fn typing_errors_name_what_is_near() {
    for (spec, near) in [("containerd@22.1", "containerd@2.1.0"), ("containrd@2.2", "containerd")] {
        let error = resolve(spec, false, None).expect_err(spec);
        assert!(error.help().is_some_and(|help| help.contains(near)), "{spec}: {:?}", error.help());
    }
}

#[test]
fn strict_targets_and_assumptions() {
    let unknown = "containerd@1.8.1";
    for (spec, strict, assume, is_judged) in [
        ("containerd@2.4.99", true, None, false),
        ("containerd@2.6.1", true, None, false),
        ("k0s@1.40", true, None, false),
        ("containerd@2.4.2", true, None, true),
        (unknown, true, Some("nri@0.11"), true),
        (unknown, false, Some("nri@0.99"), false),
        (unknown, false, Some("containerd@2.4"), false),
        ("podman@1.0", false, Some("nri@0.11"), false),
    ] {
        let target = resolve(spec, strict, assume);
        assert_eq!(target.is_ok(), is_judged, "{spec} {assume:?}");
    }
    let error = resolve(unknown, false, None).expect_err("unknown minor");
    let help = error.help().expect("a remedy");
    let names_both = help.contains("--data DIR") && help.contains("--assume nri@");
    assert!(names_both, "{help}");
    let target = resolve(unknown, false, Some("nri@0.11")).expect("assumed");
    assert_eq!(target.assumed.as_deref(), Some("nri@0.11.0"));
    assert_eq!((&*target.name, &*target.nri), (unknown, "v0.11.0"));
}

#[test]
fn what_does_not_exist_is_refused() {
    let specs = "containerd@1.8 containerd@22.1 containrd@2.2 nri@0.99 k0s@1.63 k3s@1.34 containerd@2.70 cri-o@2.7 podman@1.0 nri@0.1.0 2.7 nri@ containerd@2.4.-1 \
        containerd@2.4.2. containerd@2.4.2- containerd@2.4.2+ containerd@2.4.2~ containerd@2.4.99--x \
        containerd@2.4.99-a..b containerd@2.4.2.1 containerd@v2..4 containerd@vv2.4 \
        containerd@vlatest containerd@02.4.2 containerd@2.4.02 containerd@2.7. containerd@2.7.x \
        containerd@2.7.0.1 containerd@vv2.7 containerd@2.4.99999999999999999999 containerd@２.4.2 \
        containerd@2.٤.2 containerd:// containerd://<unknown> containerd@2.4.2@2 nri@0..12 \
        nri@0.12.-1 cri-o@1.36. containerd@2.4.2\u{200b} containerd@2.4.2-k\u{301}";
    for spec in specs.split(' ').chain(["containerd@2.4.2 or so"]) {
        let error = resolve(spec, false, None).expect_err(spec);
        assert!(error.help().is_some(), "{spec}: {error}");
    }
}

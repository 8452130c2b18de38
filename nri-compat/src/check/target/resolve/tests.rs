//! Tests of names and substitutes, with the tables of this build.

use super::*;

fn head(spec: &str) -> Result<CheckTarget, Error> {
    let history = History::embedded().expect("the tables fit together");
    Target::parse(&history, spec).map(|target| target.head)
}

#[test]
fn releases_and_series_are_named_in_full() {
    let nri = head("nri@0.11").expect("known");
    assert_eq!(
        (nri.name.as_str(), nri.nri.as_str()),
        ("nri@0.11.0", "v0.11.0")
    );
    let old = head("containerd@1.6.4").expect("known");
    assert_eq!((old.nri.as_str(), old.planned), ("v0.1.0", false));
}

#[test]
fn a_planned_release_says_so() {
    for spec in ["containerd@2.7", "containerd@v2.7.0"] {
        let target = head(spec).expect("planned");
        assert_eq!(
            (target.name.as_str(), target.planned),
            ("containerd@2.7", true)
        );
    }
}

#[test]
fn newer_patch_releases_are_judged_as_the_newest_known() {
    let newest = head("containerd@2.4").expect("known");
    let target = head("containerd@2.4.99").expect("assumed");
    assert_eq!(target.name, "containerd@2.4.99");
    assert_eq!(target.nri, newest.nri);
    assert_eq!(
        target.assumed.as_deref(),
        newest.name.strip_prefix("containerd@")
    );
    assert_eq!(newest.assumed, None);
    assert_eq!(
        head("nri@0.11.7").expect("assumed").assumed.as_deref(),
        Some("0.11.0")
    );
}

#[test]
fn names_from_machines_are_reduced() {
    let target = head("containerd://2.2.1-k3s1").expect("known");
    assert_eq!(target.name, "containerd@2.2.1");
    assert_eq!(target.given.as_deref(), Some("containerd://2.2.1-k3s1"));
    assert_eq!(target.assumed, None);
    let both = head("cri-o@1.33.99-3.rhaos4.20").expect("assumed");
    assert_eq!(both.name, "cri-o@1.33.99");
    assert!(both.given.is_some() && both.assumed.is_some());
    let exact = head("nri@v0.9.1-0.20250219030224-e597e7849f24").expect("known");
    assert_eq!((exact.given, exact.assumed), (None, None));
}

#[test]
fn a_prerelease_is_judged_as_its_release() {
    let target = head("containerd@2.3.0-rc.1").expect("assumed");
    assert_eq!(target.assumed.as_deref(), Some("2.3.0"));
}

#[test]
fn strict_targets_and_assumptions() {
    let history = History::embedded().expect("the tables fit together");
    let resolve = |spec: &str, strict: bool, assume: Option<&str>| {
        let assume = assume.map(str::to_owned);
        let unknown = UnknownReleases { strict, assume };
        Target::resolve(&history, spec, &unknown).map(|target| target.head)
    };
    assert!(resolve("containerd@2.4.99", true, None).is_err());
    assert!(resolve("containerd@2.4.2", true, None).is_ok());
    let error = resolve("containerd@2.6.1", false, None).expect_err("unknown minor");
    let help = error.help().expect("a remedy");
    assert!(
        help.contains("--data DIR") && help.contains("--assume nri@"),
        "{help}"
    );
    let target = resolve("containerd@2.6.1", false, Some("nri@0.11")).expect("assumed");
    assert_eq!(target.assumed.as_deref(), Some("nri@0.11.0"));
    assert_eq!(
        (target.name.as_str(), target.nri.as_str()),
        ("containerd@2.6.1", "v0.11.0")
    );
    assert!(resolve("containerd@2.6.1", false, Some("nri@0.99")).is_err());
    assert!(resolve("containerd@2.6.1", false, Some("containerd@2.4")).is_err());
    assert!(resolve("podman@1.0", false, Some("nri@0.11")).is_err());
    assert!(resolve("containerd@2.6.1", true, Some("nri@0.11")).is_ok());
}

#[test]
fn what_does_not_exist_is_refused() {
    let specs = "containerd@2.6 containerd@2.70 cri-o@2.7 podman@1.0 nri@0.1.0 2.7 nri@ containerd@2.4.-1 \
        containerd@2.4.2. containerd@2.4.2- containerd@2.4.2+ containerd@2.4.2~ containerd@2.4.99--x \
        containerd@2.4.99-a..b containerd@2.4.2.1 containerd@v2..4 containerd@vv2.4 \
        containerd@vlatest containerd@02.4.2 containerd@2.4.02 containerd@2.7. containerd@2.7.x \
        containerd@2.7.0.1 containerd@vv2.7 containerd@2.4.99999999999999999999 containerd@２.4.2 \
        containerd@2.٤.2 containerd:// containerd://<unknown> containerd@2.4.2@2 nri@0..12 \
        nri@0.12.-1 cri-o@1.36.";
    let others = [
        "containerd@2.4.2\u{200b}",
        "containerd@2.4.2-k\u{301}",
        "containerd@2.4.2 or so",
    ];
    for spec in specs.split(' ').chain(others) {
        let error = head(spec).expect_err(spec);
        assert!(error.help().is_some(), "{spec}: {error}");
    }
}

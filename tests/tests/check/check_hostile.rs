//! Any text as a name: every format stays valid, and its readers get the name back.

use nri_compat::policy::{Policy, apply, today};
use nri_compat::report::check::{CheckReport, SkipKind, Skipped, Verdict};
use nri_compat::report::policy_report::{self, Api};
use nri_compat::report::template::{Format, render};
use nri_compat::report::{json, openmetrics, sarif, visible};
use nri_compat::sighting::Evidence;
use nri_tests::reports;
use proptest::prelude::*;
use quick_xml::events::Event;
use serde_json::Value;

/// Returns the report with one plugin, and `name` wherever something comes from outside.
fn named(name: &str) -> CheckReport {
    let mut reports = reports::all();
    reports.retain(|(which, _)| *which == "hostile");
    let (_, mut report) = reports.pop().expect("it is there");
    let subject = &mut report.subjects[0];
    subject.place = name.into();
    subject.index = None;
    subject.name = Some(name.into());
    subject.evidence = vec![Evidence { reader: "go-binary", detail: name.into() }];
    subject.verdicts =
        vec![Verdict { reason: name.into(), remedy: name.into(), ..subject.verdicts[0].clone() }];
    report.skipped = vec![Skipped { place: name.into(), kind: SkipKind::Io, reason: name.into() }];
    report.policy = vec![name.into()];
    report.summary.looked_at = vec![name.into()];
    report
}

/// Any characters, those with a meaning in one of the formats more often than others.
fn names() -> impl Strategy<Value = String> {
    let meaning = proptest::sample::select(
        "\u{1b}\u{9b}\u{202e}\u{feff}\u{ffff}\0\r\n\t|`'\"<>&]:,%=+-@#\\{}$()[]!*_ "
            .chars()
            .collect::<Vec<char>>(),
    );
    proptest::collection::vec(prop_oneof![meaning, any::<char>()], 1..24)
        .prop_map(|chars| chars.into_iter().collect())
}

fn all_formats(report: &CheckReport) -> [String; 10] {
    [
        render(report, Format::Text),
        json::render(report),
        json::line(report),
        render(report, Format::Markdown),
        render(report, Format::Csv),
        render(report, Format::Github),
        render(report, Format::Junit),
        sarif::check(report),
        openmetrics::check(report),
        policy_report::render_check(report, Api::OpenReports),
    ]
}

/// Value of the attribute `name` of the first test case.
fn first_case(xml: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut first = None;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(element) if element.name().as_ref() == "testcase" && first.is_none() => {
                let name = element.try_get_attribute("name").expect("well-formed")?;
                first = Some(
                    name.normalized_value(quick_xml::XmlVersion::Implicit1_0)
                        .expect("well-formed")
                        .into_owned(),
                );
            }
            Event::Eof => return first,
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn no_format_carries_what_acts(name in names()) {
        let shapes = all_formats(&named("x")).map(|text| text.lines().count());
        for (shown, lines) in all_formats(&named(&name)).iter().zip(shapes).skip(1) {
            let acts = shown.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
            prop_assert_eq!(acts, None);
            prop_assert_eq!(shown.lines().count(), lines, "{}", shown);
        }
    }

    #[test]
    fn machines_get_the_name_back(name in names()) {
        let report = named(&name);
        let seen = visible(&name);
        let document: Value = serde_json::from_str(&json::render(&report)).expect("JSON");
        prop_assert_eq!(document["subjects"][0]["name"].as_str(), Some(name.as_str()));
        let log: Value = serde_json::from_str(&sarif::check(&report)).expect("JSON");
        let location = &log["runs"][0]["results"][0]["locations"][0];
        prop_assert_eq!(location["logicalLocations"][0]["name"].as_str(), Some(name.as_str()));
        prop_assert_eq!(first_case(&render(&report, Format::Junit)), Some(seen.clone()));
    }

    #[test]
    fn annotations_say_it_back(name in names()) {
        let shown = render(named(&name), Format::Github);
        let seen = visible(&name);
        for line in shown.lines() {
            prop_assert!(line.starts_with("::"), "{}", line);
        }
        let skipped = shown.lines().find(|line| line.contains("title=skipped")).expect("it is there");
        let message = skipped.splitn(3, "::").nth(2).expect("a message");
        let back = message.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%");
        prop_assert_eq!(back, format!("{seen}: {seen}"));
    }
}

/// Pieces of a policy, in any order: sense is made of some.
fn policies() -> impl Strategy<Value = String> {
    let pieces = [
        "targets",
        "fail-on",
        "[rules]",
        "[[ignore]]",
        "ignore",
        "plugin",
        "rule",
        "reason",
        "expires",
        " = ",
        "\n",
        "'*'",
        "'[a'",
        "'unknown'",
        "'CHECK_STATE_CHANGE'",
        "CHECK_STATE_CHANGE",
        "'off'",
        "['never']",
        "2027-02-31",
        "2027-03-31",
        "0000-01-01",
        "{a = 1}",
        "[",
        "]",
        "'",
        "\"\"\"",
        "é",
        "\u{0}",
        "1",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..24)
        .prop_map(|all| all.concat())
}

proptest! {
    #[test]
    fn a_policy_is_read_or_refused_with_its_line(text in policies()) {
        match Policy::parse("p.toml", &text) {
            Ok(policy) => apply(&mut named("x"), &policy, None, today()),
            Err(error) => {
                let message = error.to_string();
                let line = message.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
                prop_assert!(line.is_some_and(|line| (1..=text.lines().count() + 1).contains(&line)), "{}", message);
            }
        }
    }
}

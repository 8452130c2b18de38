//! Every format of `conformance`, `probe` and `replay` over reports made by hand, reviewed; JSON
//! against its schemas.

use jsonschema::Validator;
use nri_compat::report::conformance::ConformanceReport;
use nri_compat::report::json;
use nri_compat::report::probe::ProbeReport;
use nri_compat::report::replay::ReplayReport;
use nri_compat::report::template::{Format, TextStyle, render, text};
use nri_conformance::record::Replayed;
use nri_tests::session_reports::{self, HOSTILE};
use nri_tests::statements_table;
use proptest::prelude::*;
use serde_json::Value;

type Rendered = Vec<(&'static str, String)>;

fn conformance(report: &ConformanceReport) -> Rendered {
    vec![
        ("text", text(report, TextStyle::default())),
        ("json", json::render(report)),
        ("junit", render(report, Format::Junit)),
    ]
}

fn probe(report: &ProbeReport) -> Rendered {
    vec![("text", text(report, TextStyle::default())), ("json", json::render(report))]
}

fn replay(report: &Replayed) -> Rendered {
    vec![
        ("text", text(&ReplayReport::new(report), TextStyle::default())),
        ("json", json::render(&ReplayReport::new(report))),
    ]
}

/// Returns every report in every format, with the name of the report.
fn all() -> Vec<(&'static str, Rendered)> {
    let mut all = Vec::new();
    all.extend(session_reports::conformance().iter().map(|(name, it)| (*name, conformance(it))));
    all.extend(session_reports::probes().iter().map(|(name, it)| (*name, probe(it))));
    all.extend(session_reports::replays().iter().map(|(name, it)| (*name, replay(it))));
    all
}

#[test]
fn formats_are_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/conformance/formats");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, rendered) in all() {
            for (format, shown) in rendered {
                insta::assert_snapshot!(format!("{name}.{format}"), shown);
            }
        }
    });
}

fn validator(schema: &str) -> Validator {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a JSON Schema")
}

/// Returns every JSON document with the validator of its schema.
fn documents() -> Vec<(&'static str, Value, Validator)> {
    let documents = all().into_iter().map(|(name, rendered)| {
        let (_, json) = rendered.into_iter().find(|(format, _)| *format == "json").expect("JSON");
        let document = serde_json::from_str(&json).expect("the report is JSON");
        (name, document, validator(schema(name)))
    });
    documents.collect()
}

fn schema(name: &str) -> &'static str {
    match name.split('_').next() {
        Some("probe") => include_str!("../../../nri-compat/schema/probe.schema.json"),
        Some("replay") => include_str!("../../../nri-compat/schema/replay.schema.json"),
        _ => include_str!("../../../nri-compat/schema/conformance.schema.json"),
    }
}

#[test]
fn json_fits_its_schema() {
    for (name, document, validator) in documents() {
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn the_schemas_refuse_what_they_should() {
    for (name, document, validator) in documents() {
        for (pointer, key) in pointers("", &document) {
            // Only what the policy or the baseline suppresses has this key.
            if key == "suppressed" && pointer.starts_with("/results") {
                continue;
            }
            let mut bad = document.clone();
            let object = bad.pointer_mut(&pointer).and_then(Value::as_object_mut);
            object.expect("an object").remove(&key);
            assert!(!validator.is_valid(&bad), "{name}: {pointer}/{key} may be missing");
        }
        for word in ["/results/0/result", "/rpcs/0/answer", "/targets/0/verdict", "/subject/kind"] {
            let mut bad = document.clone();
            if let Some(value) = bad.pointer_mut(word) {
                *value = "invented".into();
                assert!(!validator.is_valid(&bad), "{name}: {word} may be anything");
            }
        }
    }
}

/// Returns every key of every object, with the place of the object.
fn pointers(at: &str, value: &Value) -> Vec<(String, String)> {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(object) => object.iter().map(|(key, held)| (key.clone(), held)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(nth, item)| (nth.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    let keys =
        inside.iter().filter(|_| value.is_object()).map(|(key, _)| (at.to_owned(), key.clone()));
    let deeper = inside.iter().flat_map(|(key, held)| pointers(&format!("{at}/{key}"), held));
    keys.chain(deeper).collect()
}

#[test]
fn no_line_is_wider_than_asked_for() {
    for columns in [20, 40, 80] {
        let style = TextStyle { width: Some(columns), ..TextStyle::default() };
        let reports = session_reports::conformance();
        let mut shown: Vec<String> = reports.iter().map(|(_, it)| text(it, style)).collect();
        shown.extend(session_reports::probes().iter().map(|(_, it)| text(it, style)));
        shown.extend(
            session_reports::replays().iter().map(|(_, it)| text(&ReplayReport::new(it), style)),
        );
        for line in shown.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

/// Returns the first character that acts on a terminal.
fn acts(shown: &str) -> Option<char> {
    shown.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}' || *c == '\u{feff}')
}

#[test]
fn nothing_from_outside_acts() {
    for (name, rendered) in all() {
        for (format, shown) in rendered {
            assert_eq!(acts(&shown), None, "{name} as {format}: {shown}");
        }
    }
}

/// Any characters, those with a meaning in one of the formats more often than others.
fn names() -> impl Strategy<Value = String> {
    let meaning = proptest::sample::select(HOSTILE.chars().collect::<Vec<char>>());
    proptest::collection::vec(prop_oneof![meaning, any::<char>()], 1..24)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_leaves_every_format_as_it_is(name in names()) {
        let reports = |text: &str| {
            let mut all = conformance(&session_reports::hostile(text));
            all.extend(probe(&session_reports::probe_trouble(text)));
            all.extend(replay(&session_reports::replay_differs(text)));
            all
        };
        for ((format, shown), (_, plain)) in reports(&name).into_iter().zip(reports("x")) {
            prop_assert_eq!(acts(&shown), None, "{}", shown);
            if format != "text" {
                prop_assert_eq!(shown.lines().count(), plain.lines().count(), "{}", shown);
            }
        }
    }

    #[test]
    fn machines_get_the_name_back(name in names()) {
        let report: Value = serde_json::from_str(&json::render(&session_reports::hostile(&name))).expect("JSON");
        prop_assert_eq!(report["subject"]["name"].as_str(), Some(name.as_str()));
        let probed: Value = serde_json::from_str(&json::render(&session_reports::probe_trouble(&name))).expect("JSON");
        prop_assert_eq!(probed["troubles"][0]["message"].as_str(), Some(name.as_str()));
    }
}

#[test]
fn the_table_of_statements_is_that_of_the_contract() {
    let statements: Vec<_> = nri_conformance::contract::all().iter().collect();
    let expected = format!(
        "# The contract\n\nGenerated from `contract/*.toml` by `cargo test -p nri-tests --test conformance statements`.\n\n{}",
        statements_table::tables(&statements)
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../nri-conformance/STATEMENTS.md");
    if std::env::var_os("NRI_WRITE_SNAPSHOTS").is_some() {
        std::fs::write(path, &expected).expect("written");
    }
    let found = std::fs::read_to_string(path).expect("the table");
    assert!(found == expected, "write it again with NRI_WRITE_SNAPSHOTS=1, and review it");
}

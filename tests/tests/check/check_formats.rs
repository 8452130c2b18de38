//! Every format of `check` over reports made by hand, reviewed; JSON against its schema.

use jsonschema::Validator;
use nri_compat::report::check::Outcome;
use nri_compat::report::policy_report::{self, Api};
use nri_compat::report::template::{Format, TextStyle, render, text};
use nri_compat::report::{json, openmetrics, sarif};
use nri_compat::sighting::FileKind;
use nri_tests::reports;
use serde_json::Value;

#[test]
fn formats_are_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/check");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, report) in reports::all() {
            insta::assert_snapshot!(format!("{name}.text"), text(&report, TextStyle::default()));
            insta::assert_snapshot!(format!("{name}.json"), json::render(&report));
            insta::assert_snapshot!(format!("{name}.markdown"), render(&report, Format::Markdown));
            insta::assert_snapshot!(format!("{name}.csv"), render(&report, Format::Csv));
            insta::assert_snapshot!(format!("{name}.github"), render(&report, Format::Github));
            insta::assert_snapshot!(format!("{name}.junit"), render(&report, Format::Junit));
            insta::assert_snapshot!(format!("{name}.sarif"), sarif::check(&report));
            insta::assert_snapshot!(format!("{name}.openmetrics"), openmetrics::check(&report));
        }
        let on_a_node = openmetrics::check(&reports::on_a_node());
        insta::assert_snapshot!("on_a_node.openmetrics", on_a_node);
        for (name, api) in [("openreports", Api::OpenReports), ("policyreport", Api::PolicyReport)]
        {
            let object = policy_report::render_check(&reports::on_a_node(), api);
            insta::assert_snapshot!(format!("on_a_node.{name}"), object);
        }
        for (name, report) in reports::all().into_iter().filter(|(name, _)| *name == "incidents") {
            let object = policy_report::render_check(&report, Api::OpenReports);
            insta::assert_snapshot!(format!("{name}.openreports"), object);
        }
    });
}

#[test]
fn what_a_terminal_shows_is_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/check");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let style = TextStyle { coloured: true, width: Some(80), explain: true };
    settings.bind(|| {
        for (name, report) in reports::all() {
            insta::assert_snapshot!(format!("{name}.terminal"), text(&report, style));
        }
    });
}

fn validator() -> Validator {
    let schema = include_str!("../../../nri-compat/schema/check.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a JSON Schema")
}

fn documents() -> Vec<(&'static str, Value)> {
    let parsed = |text: &str| serde_json::from_str(text).expect("the report is JSON");
    reports::all().iter().map(|(name, report)| (*name, parsed(&json::render(report)))).collect()
}

#[test]
fn json_fits_its_schema() {
    let validator = validator();
    for (name, document) in documents() {
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

/// Keys that only some reports have.
const OPTIONAL: [&str; 4] = ["incidents", "setting", "workload", "workloads"];

/// Every object of a document has just the keys that the schema names.
#[test]
fn the_schema_knows_every_key() {
    let validator = validator();
    for (name, document) in documents() {
        let required = |pointer: &(String, String)| !OPTIONAL.contains(&pointer.1.as_str());
        for pointer in pointers(&document).into_iter().filter(required) {
            let mut bad = document.clone();
            let object = bad.pointer_mut(&pointer.0).and_then(Value::as_object_mut);
            object.expect("it is an object").remove(&pointer.1);
            assert!(!validator.is_valid(&bad), "{name}: {pointer:?} may be missing");
        }
    }
}

/// Returns every key of every object, with the place of the object.
fn pointers(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect("", value, &mut found);
    found
}

fn collect(at: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(object) => {
            for (key, inner) in object {
                found.push((at.to_owned(), key.clone()));
                collect(&format!("{at}/{key}"), inner, found);
            }
        }
        Value::Array(items) => {
            for (nth, inner) in items.iter().enumerate() {
                collect(&format!("{at}/{nth}"), inner, found);
            }
        }
        _ => {}
    }
}

#[test]
fn one_line_says_the_same_as_many() {
    for (name, report) in reports::all() {
        let line = json::line(&report);
        assert_eq!(line.matches('\n').count(), 1, "{name}");
        let one: Value = serde_json::from_str(&line).expect("JSON");
        let many: Value = serde_json::from_str(&json::render(&report)).expect("JSON");
        assert_eq!(one, many, "{name}");
    }
}

#[test]
fn the_schema_knows_every_word() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../nri-compat/schema/check.schema.json"))
            .expect("the schema is JSON");
    let words = |of: &str| -> Vec<&str> {
        let known = schema.pointer(&format!("/$defs/{of}/oneOf")).and_then(Value::as_array);
        known.into_iter().flatten().filter_map(|word| word["const"].as_str()).collect()
    };
    assert_eq!(words("FileKind"), FileKind::ALL.map(FileKind::as_str));
    assert_eq!(words("Outcome"), Outcome::ALL.map(Outcome::as_str));
}

/// Line breaks are breaks in every format, and not the two characters by which programs write them.
#[test]
fn line_breaks_are_not_spelled_out() {
    let plain = reports::all().into_iter().filter(|(name, _)| *name != "hostile");
    for (name, report) in plain {
        for format in [Format::Markdown, Format::Csv, Format::Github, Format::Junit, Format::Html] {
            let shown = render(&report, format);
            assert!(!shown.contains("\\n"), "{name} as {format:?}: {shown}");
        }
        assert!(!text(&report, TextStyle::default()).contains("\\n"), "{name}");
        assert!(!openmetrics::check(&report).contains("\\n"), "{name}");
    }
}

/// Nothing that a name brings along reaches the terminal as a control character.
#[test]
fn names_do_not_act() {
    for (name, report) in reports::all() {
        for shown in [
            render(&report, Format::Csv),
            render(&report, Format::Github),
            render(&report, Format::Junit),
            sarif::check(&report),
            openmetrics::check(&report),
            text(&report, TextStyle::default()),
            render(&report, Format::Markdown),
        ] {
            let acts = shown.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
            assert_eq!(acts, None, "{name}: {shown}");
        }
    }
}

//! Compares JSON reports with the committed schema.

use jsonschema::Validator;
use nri_compat::diff::diff;
use nri_compat::report::finding::Category;
use nri_compat::report::json;
use serde_json::Value;

fn validator() -> Validator {
    let schema = include_str!("../../schema/diff.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a JSON Schema")
}

fn report(from: &str, to: &str) -> Value {
    let report =
        diff(from, to, Category::File).unwrap_or_else(|error| panic!("{from} {to}: {error}"));
    serde_json::from_str(&json::render(&report)).expect("the report is JSON")
}

#[test]
fn reports_fit_the_schema() {
    let validator = validator();
    for (from, to) in [
        ("v0.11.0", "v0.12.0"),
        ("v0.12.0", "v0.11.0"),
        ("v0.2.0", "latest"),
        ("latest", "v0.2.0"),
        ("v0.12.0", "v0.12.0"),
    ] {
        let report = report(from, to);
        let errors: Vec<String> =
            validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{from} to {to}: {errors:#?}");
    }
}

#[test]
fn the_schema_refuses_what_it_should() {
    let validator = validator();
    let good = report("v0.11.0", "v0.12.0");
    for key in ["schema", "from", "to", "findings", "changes", "pairings", "summary"] {
        let mut bad = good.clone();
        bad.as_object_mut().expect("an object").remove(key);
        assert!(!validator.is_valid(&bad), "{key} may be missing");
    }
    let mut bad = good.clone();
    bad["findings"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&bad));
}

#[test]
fn arrays_are_there_when_empty() {
    let report = report("v0.12.0", "v0.12.0");
    for key in ["findings", "changes", "pairings"] {
        assert_eq!(report[key], Value::Array(Vec::new()), "{key}");
    }
}

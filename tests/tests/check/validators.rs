//! Machine formats against their published schema and independent readers, which
//! `install_validators` of `.ci/setup.sh` puts into `target/peers`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use jsonschema::Validator;
use nri_compat::diff::diff;
use nri_compat::report::finding::Category;
use nri_compat::report::template::{Format, render};
use nri_compat::report::{json, openmetrics, sarif};
use nri_tests::{peers, reports};
use serde_json::Value;

fn sarif_schema() -> Validator {
    let path = peers::folder("sarif")
        .join("node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    // A pattern of theirs has a bracket too many; it is for a property that we do not write.
    let text = text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("the schema is a JSON Schema")
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("SARIF is JSON")
}

/// Returns every log that the tool may write, with a name.
fn logs() -> Vec<(String, Value)> {
    let mut logs: Vec<(String, Value)> = reports::all()
        .iter()
        .map(|(name, report)| ((*name).to_owned(), parsed(&sarif::check(report))))
        .collect();
    for (from, to) in [("v0.11.0", "v0.12.0"), ("latest", "v0.2.0"), ("v0.12.0", "v0.12.0")] {
        let report = diff(from, to, Category::File).unwrap_or_else(|error| panic!("{error}"));
        logs.push((format!("diff {from} {to}"), parsed(&sarif::diff(&report))));
    }
    logs
}

#[test]
fn sarif_fits_the_published_schema() {
    let schema = sarif_schema();
    for (name, log) in logs() {
        let errors: Vec<String> = schema
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn the_published_schema_refuses_what_it_should() {
    let schema = sarif_schema();
    for (name, log) in logs() {
        let mut unknown_key = log.clone();
        unknown_key["runs"][0]["invented"] = true.into();
        assert!(!schema.is_valid(&unknown_key), "{name}: an unknown key");
        for result in log["runs"][0]["results"].as_array().into_iter().flatten() {
            let mut unknown_level = log.clone();
            unknown_level["runs"][0]["results"] = Value::Array(vec![result.clone()]);
            unknown_level["runs"][0]["results"][0]["level"] = "fatal".into();
            assert!(!schema.is_valid(&unknown_level), "{name}: an unknown level");
        }
    }
}

/// Checks that the schema leaves out: a level, a fingerprint, and a rule for every result.
#[test]
fn every_result_has_level_rule_and_fingerprint() {
    for (name, log) in logs() {
        let run = &log["runs"][0];
        let results = run["results"].as_array().expect("results");
        let mut prints = std::collections::HashSet::new();
        for result in results {
            assert!(result["level"].is_string(), "{name}: {result}");
            let index = result["ruleIndex"].as_u64().and_then(|at| usize::try_from(at).ok());
            let rule = index.map(|at| &run["tool"]["driver"]["rules"][at]["id"]);
            assert_eq!(rule, Some(&result["ruleId"]), "{name}");
            let print = result["partialFingerprints"]["nriCompatFinding/v2"].as_str();
            // A plugin in two places is one finding at two locations, as the same plugin in two
            // workloads.
            let place = result["locations"].to_string();
            assert!(
                prints.insert((print.expect("a fingerprint"), place)),
                "{name}: twice {print:?}"
            );
        }
    }
}

#[test]
fn other_readers_find_the_same_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = reports::all();
    all.push(("on_a_node", reports::on_a_node()));
    for (name, report) in &all {
        let put = |format: &str, text: String| {
            fs::write(folder.path().join(format!("{name}.{format}")), text).expect("written");
        };
        put("json", json::render(report));
        put("openmetrics", openmetrics::check(report));
        put("junit", render(report, Format::Junit));
        put("csv", render(report, Format::Csv));
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("validators/formats.py");
    let python = peers::folder("python").join("bin/python");
    let stderr = peers::run(Command::new(python).arg(script).arg(folder.path()));
    assert_eq!(stderr.lines().count(), all.len(), "{stderr}");
}

//! The JSON Schemas of the reports, generated from their types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::check::CheckDocument;
use super::diff::DiffReport;
use super::json::Versioned;
use super::merge::MergeReport;

/// Returns the schema of each report with the name of its command.
pub fn schemas() -> Vec<(&'static str, String)> {
    let mut schemas = vec![
        ("check", schema::<CheckDocument<'_>>("check")),
        ("diff", schema::<DiffReport>("diff")),
        ("merge", schema::<MergeReport>("merge")),
    ];
    #[cfg(feature = "conformance")]
    schemas.extend([
        (
            "conformance",
            schema::<super::conformance::ConformanceReport>("conformance"),
        ),
        ("probe", schema::<super::probe::ProbeReport>("probe")),
        (
            "replay",
            schema::<super::replay::ReplayReport<'_>>("replay"),
        ),
    ]);
    schemas
}

fn schema<D: JsonSchema>(command: &str) -> String {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<Versioned<D>>();
    schema.insert(
        "title".into(),
        format!("nri-compat {command} --format json").into(),
    );
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

//! The JSON Schemas of the reports, generated from their types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::check::CheckReport;
#[cfg(feature = "conformance")]
use super::conformance::ConformanceReport;
use super::diff::DiffReport;
use super::json::Versioned;
use super::merge::MergeReport;
#[cfg(feature = "conformance")]
use super::{probe::ProbeReport, replay::ReplayReport};

/// Returns the schema of each report with the name of its command.
pub fn schemas() -> Vec<(&'static str, String)> {
    vec![
        schema::<CheckReport>("check"),
        schema::<DiffReport>("diff"),
        schema::<MergeReport>("merge"),
        #[cfg(feature = "conformance")]
        schema::<ConformanceReport>("conformance"),
        #[cfg(feature = "conformance")]
        schema::<ProbeReport>("probe"),
        #[cfg(feature = "conformance")]
        schema::<ReplayReport<'_>>("replay"),
    ]
}

fn schema<D: JsonSchema>(command: &'static str) -> (&'static str, String) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Versioned<D>>();
    let title = format!("nri-compat {command} --format json");
    schema.insert("title".into(), title.into());
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    (command, text + "\n")
}

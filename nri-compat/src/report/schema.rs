//! The JSON Schemas of the reports, generated from their types.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};

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
        ("probe", schema::<super::probe::Document<'_>>("probe")),
        ("replay", schema::<super::replay::Document<'_>>("replay")),
    ]);
    schemas
}

fn schema<D: JsonSchema>(command: &str) -> String {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(without_examples))
        .into_generator();
    let mut schema = generator.into_root_schema_for::<Versioned<D>>();
    schema.insert(
        "title".into(),
        format!("nri-compat {command} --format json").into(),
    );
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

/// Shortens a description to its text. Examples in Rust are for readers of the crate's documentation.
fn without_examples(schema: &mut Schema) {
    let Some(description) = schema.get("description").and_then(|it| it.as_str()) else {
        return;
    };
    let text = description.split("\n\n```").next().unwrap_or_default();
    let text = text.to_owned();
    schema.insert("description".into(), text.into());
}

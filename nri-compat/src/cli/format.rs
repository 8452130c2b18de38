//! The output formats of all commands, and other values to choose from.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// JSON on one line, for logs that are collected line by line.
    Jsonl,
    /// For pull requests, wikis and release notes.
    Markdown,
    /// For browsers: one self-contained file.
    Html,
    /// For spreadsheets: one row per verdict or finding.
    Csv,
    /// Annotations of GitHub Actions.
    Github,
    /// Test results for CI systems.
    Junit,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For node exporters: OpenMetrics text.
    Openmetrics,
}

impl Format {
    /// The formats that most commands have.
    pub(super) const FEW: &'static [Self] = &[Self::Text, Self::Json];
}

/// Returns a parser that accepts these formats.
pub(super) fn among(formats: &[Format]) -> impl TypedValueParser<Value = Format> + use<> {
    let values = formats.iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(values).try_map(|name| Format::from_str(&name, false))
}

/// The name of a value on the command line, its description, and the value.
pub(super) type Choice<T> = (&'static str, &'static str, T);

/// Returns a parser that accepts these values.
pub(super) fn one_of<T: Copy + Send + Sync>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> + use<T> {
    let values = choices.iter();
    let values = values.map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(values).try_map(|given| {
        let mut choices = choices.iter();
        let choice = choices.find(|(name, ..)| name.eq_ignore_ascii_case(&given));
        choice.map(|(.., value)| *value).ok_or("unknown")
    })
}

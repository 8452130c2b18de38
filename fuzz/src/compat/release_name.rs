//! Parses any text as a release: as machines print it, and as a target, whatever is assumed about
//! releases that are not in the tables. A name is read again as itself.

use std::sync::OnceLock;

use nri_compat::check::target::{ReleaseName, Target, UnknownReleases};
use nri_schema::history::History;

/// Runs the target once.
pub(crate) fn run(input: (&str, &str, bool)) {
    let (text, assume, strict) = input;
    if let Some(name) = ReleaseName::parse(text) {
        assert!(ReleaseName::parse(&name.spec()).is_some(), "{text:?}: {name:?}");
    }
    let unknown = UnknownReleases {
        strict,
        assume: Some(assume.to_owned()).filter(|assume| !assume.is_empty()),
    };
    match Target::resolve(history(), text, &unknown) {
        Ok(target) => assert!(!target.head.name.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn history() -> &'static History {
    static HISTORY: OnceLock<History> = OnceLock::new();
    HISTORY.get_or_init(|| History::embedded().expect("the tables fit together"))
}

//! Package, syntax and options of a file.

use super::super::sink::RuleRun;
use nri_schema::schema::File;
use nri_schema::schema::FileOptions;

/// The tags in `FileDescriptorProto`.
const PACKAGE: i32 = 2;
const OPTIONS: i32 = 8;
const SYNTAX: i32 = 12;

pub(in crate::diff) fn package(run: &mut RuleRun<'_>, old: &File, new: &File) {
    same(run, new, (&old.package, &new.package), "package", &[PACKAGE]);
}

pub(in crate::diff) fn syntax(run: &mut RuleRun<'_>, old: &File, new: &File) {
    let words = (old.syntax.as_str(), new.syntax.as_str());
    same(run, new, words, "syntax", &[SYNTAX]);
}

/// An option that must keep its value: its tag and name in `FileOptions`, and its value as text.
pub(in crate::diff) struct FileOption(
    pub(in crate::diff) i32,
    pub(in crate::diff) &'static str,
    pub(in crate::diff) fn(&FileOptions) -> &str,
);

impl FileOption {
    pub(super) fn check(&self, run: &mut RuleRun<'_>, old: &File, new: &File) {
        let Self(tag, name, value) = self;
        let values = (value(&old.options), value(&new.options));
        same(run, new, values, &format!("option {name}"), &[OPTIONS, *tag]);
    }
}

/// Returns the text of a flag.
pub(in crate::diff) fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Returns the text of an `OptimizeMode`.
pub(in crate::diff) fn optimize_for(options: &FileOptions) -> &'static str {
    super::word(&["unknown", "SPEED", "CODE_SIZE", "LITE_RUNTIME"], options.optimize_for)
}

fn same(run: &mut RuleRun<'_>, file: &File, (old, new): (&str, &str), what: &str, path: &[i32]) {
    if old != new {
        let place = file.part(path).unwrap_or_else(|| file.start());
        let message = format!("{what} of the file changed from {old:?} to {new:?}");
        run.sink.add(Some(place), &file.name, message);
    }
}

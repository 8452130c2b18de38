//! Package, syntax and options of a file.

use super::super::descriptor::FileOptions;
use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::File;
use super::super::schema::{in_file, start_of};
use super::super::sink::Sink;

/// The tags in `FileDescriptorProto`.
const PACKAGE: i32 = 2;
const OPTIONS: i32 = 8;
const SYNTAX: i32 = 12;

pub(in super::super) fn package(_: &Pairs<'_>, files: Pair<'_, File>, sink: &mut Sink) {
    let Pair { old, new } = files;
    same(
        files,
        (&old.package, &new.package),
        "package",
        &[PACKAGE],
        sink,
    );
}

pub(in super::super) fn syntax(_: &Pairs<'_>, files: Pair<'_, File>, sink: &mut Sink) {
    let Pair { old, new } = files;
    same(
        files,
        (old.syntax.as_str(), new.syntax.as_str()),
        "syntax",
        &[SYNTAX],
        sink,
    );
}

/// An option that must keep its value: its tag and name in `FileOptions`, and its value as text.
pub(in super::super) struct FileOption {
    tag: i32,
    name: &'static str,
    value: fn(&FileOptions) -> &str,
}

impl FileOption {
    /// Returns the option with this tag and name.
    pub(in super::super) const fn new(
        tag: i32,
        name: &'static str,
        value: fn(&FileOptions) -> &str,
    ) -> Self {
        Self { tag, name, value }
    }

    pub(super) fn check(&self, files: Pair<'_, File>, sink: &mut Sink) {
        let values = (
            (self.value)(&files.old.options),
            (self.value)(&files.new.options),
        );
        same(
            files,
            values,
            &format!("option {}", self.name),
            &[OPTIONS, self.tag],
            sink,
        );
    }
}

/// Returns the text of a flag.
pub(in super::super) fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Returns the text of an `OptimizeMode`.
pub(in super::super) fn optimize_for(options: &FileOptions) -> &'static str {
    match options.optimize_for {
        1 => "SPEED",
        2 => "CODE_SIZE",
        3 => "LITE_RUNTIME",
        _ => "unknown",
    }
}

fn same(
    files: Pair<'_, File>,
    (old, new): (&str, &str),
    what: &str,
    path: &[i32],
    sink: &mut Sink,
) {
    if old != new {
        let place = in_file(files.new, path).unwrap_or_else(|| start_of(files.new));
        let message = format!("{what} of the file changed from {old:?} to {new:?}");
        sink.add(Some(place), &files.new.name, message);
    }
}

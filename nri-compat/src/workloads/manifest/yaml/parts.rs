//! The parts of a file, which are parsed separately so that an error in one does not affect others.

use serde::de::IgnoredAny;

/// The marker between documents.
const MARKER: &str = "---";

/// The headings in the output of `helm install`, `helm get` and `helm status` that end a document.
const HEADINGS: [&str; 3] = ["NOTES:", "HOOKS:", "MANIFEST:"];

/// The heading that is followed by prose, up to the next document.
const NOTES: &str = "NOTES:";

/// The fields with which objects begin.
const FIRST_FIELDS: [&str; 2] = ["apiVersion:", "kind:"];

/// The fields of objects that may come before those.
const OTHER_FIELDS: [&str; 5] = ["data:", "items:", "metadata:", "spec:", "status:"];

/// A part of a file: one document, or several that end with `...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part<'t> {
    /// The text.
    pub(super) text: &'t str,
    /// The length of the directives at its beginning in bytes, with comments.
    pub(super) directives: usize,
}

impl Part<'_> {
    /// Returns true if it is a heading followed only by prose.
    pub(super) fn is_prose(&self) -> bool {
        let mut lines = self.text.lines().map(str::trim_end);
        let heading = lines.next().unwrap_or_default();
        heading == NOTES || HEADINGS.contains(&heading) && lines.all(str::is_empty)
    }

    /// Returns the offset of the first field of an object if prose precedes it.
    pub(super) fn after_prose(&self) -> Option<usize> {
        let (mut offset, mut has_prose) = (0, false);
        for line in self.text.split_inclusive('\n') {
            let has = |fields: &[&str]| fields.iter().any(|field| line.starts_with(field));
            if has(&FIRST_FIELDS) {
                return has_prose.then_some(offset);
            }
            if has(&OTHER_FIELDS) {
                return None;
            }
            let is_syntax = line.starts_with(['#', '%']) || line.starts_with(MARKER);
            has_prose |= !is_syntax && !line.trim().is_empty();
            offset += line.len();
        }
        None
    }
}

/// Splits a file at the lines that are document markers, which cannot occur within a document. JSON
/// documents may follow each other without a marker, as in the input of `kubectl`.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, rest) = json(text);
    let (mut start, mut directives) = (0, 0);
    for at in markers(rest) {
        let before = rest.get(start..at).unwrap_or_default();
        if directives == 0 && is_directives(before) {
            directives = at - start;
            continue;
        }
        parts.push(Part {
            text: before,
            directives,
        });
        (start, directives) = (at, 0);
    }
    let text = rest.get(start..).unwrap_or_default();
    if !text.trim().is_empty() {
        parts.push(Part { text, directives });
    }
    parts
}

/// Returns the number of line breaks. As the parser counts them, a carriage return without a line
/// feed is one, too.
pub(super) fn breaks(text: &str) -> u32 {
    let feeds = text.bytes().filter(|byte| *byte == b'\n').count();
    let returns = text.bytes().filter(|byte| *byte == b'\r').count();
    let breaks = feeds + returns - text.matches("\r\n").count();
    u32::try_from(breaks).unwrap_or(u32::MAX)
}

/// Splits off the complete JSON values at the beginning of a text.
fn json(text: &str) -> (Vec<Part<'_>>, &str) {
    let mut parts = Vec::new();
    if !text.trim_start().starts_with('{') {
        return (parts, text);
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut start = 0;
    while let Some(Ok(_)) = values.next() {
        let end = values.byte_offset();
        let text = text.get(start..end).unwrap_or_default();
        parts.push(Part {
            text,
            directives: 0,
        });
        start = end;
    }
    (parts, text.get(start..).unwrap_or_default())
}

/// Returns the offsets of the lines that are document markers, or headings after a document.
fn markers(text: &str) -> impl Iterator<Item = usize> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = offset;
        offset += line.len();
        let is_heading = HEADINGS.contains(&line.trim_end());
        let after = line.strip_prefix(MARKER);
        let is_marker = |after: &str| after.is_empty() || after.starts_with(char::is_whitespace);
        (is_heading || after.is_some_and(is_marker)).then_some(at)
    })
}

/// Returns true if a text has directives, and otherwise only comments and empty lines.
fn is_directives(text: &str) -> bool {
    let mut has_directive = false;
    for line in text.lines().map(|line| line.trim_start_matches('\u{feff}')) {
        let is_directive = line.starts_with('%');
        has_directive |= is_directive;
        if !is_directive && !line.trim_start().starts_with('#') && !line.trim().is_empty() {
            return false;
        }
    }
    has_directive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_ends_at_the_first_field_of_an_object() {
        for (text, expected) in [
            ("kind: [", None),
            ("---\n# a\n\nkind: [", None),
            ("metadata:\n  name: {{ x }}\nkind: Pod", None),
            ("WARNING: old: chart\napiVersion: v1", Some(20)),
        ] {
            let part = Part {
                text,
                directives: 0,
            };
            assert_eq!(part.after_prose(), expected, "{text:?}");
        }
    }

    #[test]
    fn files_are_split_at_markers() {
        for (text, expected) in [
            ("", &[][..]),
            ("a", &["a"][..]),
            ("a\n---\nb", &["a\n", "---\nb"]),
            ("---\na\n--- # x\nb", &["", "---\na\n", "--- # x\nb"]),
            ("a: |\n  ---\n---x\n", &["a: |\n  ---\n---x\n"]),
            (
                "%YAML 1.2\n---\na\n---\nb",
                &["%YAML 1.2\n---\na\n", "---\nb"],
            ),
            ("{} {}\n{}", &["{}", " {}", "\n{}"]),
            ("{}\n---\na: b", &["{}", "\n", "---\na: b"]),
            ("{} x", &["{}", " x"]),
            (
                "NAME: x\nMANIFEST:\n---\na\n\nNOTES:\n1. b: c: d\n---\ne",
                &[
                    "NAME: x\n",
                    "MANIFEST:\n",
                    "---\na\n\n",
                    "NOTES:\n1. b: c: d\n",
                    "---\ne",
                ],
            ),
        ] {
            let found: Vec<&str> = parts(text).iter().map(|part| part.text).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}

//! YAML documents, and JSON documents, which are read as YAML.

mod builder;
mod parts;

use granit_parser::{Event, Marker, Parser, ScanError};

use super::TEMPLATE;
use super::node::Node;
use builder::Builder;
use parts::{Part, breaks, parts};

/// The maximum length, in characters, of a key that is followed by its value on the same line. YAML
/// allows 1024, JSON any length. The parser looks ahead that far.
const MAX_KEY: usize = 16 << 10;

/// An error in a document.
#[derive(Clone, Debug)]
pub(super) struct YamlError {
    /// The line, counted from 1.
    pub(super) line: u32,
    /// The reason: one line, in lower case.
    pub(super) reason: String,
}

/// Receives each object with the number of its document.
pub(super) type EachObject<'e> = dyn FnMut(u32, Result<&Node, YamlError>) + 'e;

/// Passes the objects of all documents to `each`. The items of a list are passed as soon as they
/// are complete, before the list without them.
pub(super) fn objects(text: &str, each: &mut EachObject<'_>) {
    let (mut document, mut first_line) = (0, 0);
    for part in parts(text) {
        if !part.is_prose() {
            document = read_part(&part, document, first_line, each);
        }
        first_line += breaks(part.text);
    }
}

/// Reads one part of a file, after `before` documents and `first_line` lines, and returns the number
/// of documents. Unreadable text must not hide the object that follows it.
fn read_part(part: &Part<'_>, before: u32, first_line: u32, each: &mut EachObject<'_>) -> u32 {
    let reading = read(part.text, before, first_line, each);
    let rest = match reading.has_begun {
        false if part.directives > 0 => Some(part.directives),
        _ if reading.has_failed && reading.objects == 0 => part.after_prose(),
        _ => None,
    };
    let Some(rest) = rest.and_then(|offset| part.text.get(offset..)) else {
        return reading.document;
    };
    let lines = first_line + breaks(part.text) - breaks(rest);
    read(rest, reading.document, lines, each).document
}

/// The outcome of reading a part.
struct PartOutcome {
    /// The number of documents so far.
    document: u32,
    /// True if a document began.
    has_begun: bool,
    /// True if a document cannot be read.
    has_failed: bool,
    /// The number of objects in it.
    objects: u64,
}

/// Reads one part of a file, after `before` documents and `first_line` lines. A document that cannot
/// be read does not end it.
fn read(text: &str, before: u32, first_line: u32, each: &mut EachObject<'_>) -> PartOutcome {
    let options =
        granit_parser::options! { emit_comments: false, simple_key_max_lookahead: MAX_KEY };
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder::new(first_line);
    let (mut document, mut has_begun, mut is_open) = (before, false, false);
    let (mut has_failed, mut objects) = (false, 0);
    while let Some(event) = parser.next_event() {
        let event = event.map_err(|error| syntax_error(&error, text, first_line));
        let outcome = event.and_then(|(event, span)| {
            if matches!(event, Event::DocumentStart(..)) {
                (document, has_begun, is_open) = (document + 1, true, true);
            }
            let is_end = matches!(event, Event::DocumentEnd);
            builder.event(event, &span, &mut |node| {
                objects += 1;
                each(document, Ok(node));
            })?;
            is_open &= !is_end;
            Ok(())
        });
        if let Err(error) = outcome {
            document += u32::from(!is_open);
            (is_open, has_failed) = (false, true);
            each(document, Err(error));
            builder = Builder::new(first_line);
            if !matches!(parser.proceed_next_document(), Ok(true)) {
                break;
            }
        }
    }
    PartOutcome {
        document,
        has_begun,
        has_failed,
        objects,
    }
}

fn syntax_error(error: &ScanError, text: &str, first_line: u32) -> YamlError {
    let mark = error.marker();
    let reason = if is_template(text, mark) {
        TEMPLATE.to_owned()
    } else {
        let info = error.info().to_lowercase().replace('\n', " ");
        format!("invalid YAML: {info}")
    };
    YamlError {
        line: line(mark, first_line),
        reason,
    }
}

/// Returns true if the document has the braces of a template before an error or on its line.
fn is_template(text: &str, error: &Marker) -> bool {
    let at = error.byte_offset().unwrap_or_default();
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let document = before.rsplit("\n---").next().unwrap_or(before);
    let line = after.lines().next().unwrap_or_default();
    document.contains("{{") || line.contains("{{")
}

/// Returns the line in the file.
fn line(mark: &Marker, first_line: u32) -> u32 {
    u32::try_from(mark.line())
        .unwrap_or(u32::MAX)
        .saturating_add(first_line)
}

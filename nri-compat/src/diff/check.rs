//! The checks: one file per family of rules. A check does not know the id or text of its rule.

pub(super) mod cardinality;
pub(super) mod default;
pub(super) mod deletion;
pub(super) mod enums;
pub(super) mod fields;
pub(super) mod files;
pub(super) mod messages;
pub(super) mod ranges;
pub(super) mod services;
pub(super) mod strings;
pub(super) mod types;

use super::pairs::{Pair, Pairs};
use super::schema::element::{Enum, Field, File, Message, Method, Service};
use super::sink::Sink;
use files::FileOption;

/// A check: the elements that it applies to, and its function.
pub(super) enum Check {
    Schemas(fn(&Pairs<'_>, &mut Sink)),
    Files(fn(&Pairs<'_>, Pair<'_, File>, &mut Sink)),
    FileOption(FileOption),
    Messages(fn(&Pairs<'_>, Pair<'_, Message>, &mut Sink)),
    Fields(fn(&Pairs<'_>, Pair<'_, Field>, &mut Sink)),
    Enums(fn(&Pairs<'_>, Pair<'_, Enum>, &mut Sink)),
    Services(fn(&Pairs<'_>, Pair<'_, Service>, &mut Sink)),
    Methods(fn(&Pairs<'_>, Pair<'_, Method>, &mut Sink)),
}

impl Check {
    /// Runs the check on everything that it applies to.
    pub(super) fn run(&self, pairs: &Pairs<'_>, sink: &mut Sink) {
        match self {
            Self::Schemas(check) => check(pairs, sink),
            Self::Files(check) => pairs
                .files
                .iter()
                .for_each(|pair| check(pairs, *pair, sink)),
            Self::FileOption(option) => pairs
                .files
                .iter()
                .for_each(|pair| option.check(*pair, sink)),
            Self::Messages(check) => pairs
                .messages
                .iter()
                .for_each(|pair| check(pairs, *pair, sink)),
            Self::Fields(check) => pairs
                .fields
                .iter()
                .for_each(|pair| check(pairs, *pair, sink)),
            Self::Enums(check) => pairs
                .enums
                .iter()
                .for_each(|pair| check(pairs, *pair, sink)),
            Self::Services(check) => pairs
                .services
                .iter()
                .for_each(|pair| check(pairs, *pair, sink)),
            Self::Methods(check) => pairs
                .methods
                .iter()
                .for_each(|pair| check(pairs, *pair, sink)),
        }
    }
}

/// Returns a field as messages name it: by number and name. Extensions have full names, fields and
/// messages short ones.
fn field(field: &Field) -> String {
    let Field { number, owner, .. } = field;
    if field.is_extension {
        format!(
            "extension {number} {:?} of message {owner:?}",
            field.id.full
        )
    } else {
        format!("field {number} {:?} of message {owner:?}", field.id.name())
    }
}

/// Returns the names in quotes, joined by commas.
fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names
        .into_iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

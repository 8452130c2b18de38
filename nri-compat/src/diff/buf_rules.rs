//! The checks: one file per family of rules. A check does not know the id or text of its rule.

pub(super) mod default;
pub(super) mod deletion;
pub(super) mod enums;
pub(super) mod fields;
pub(super) mod files;
pub(super) mod ranges;
pub(super) mod services;
pub(super) mod strings;
pub(super) mod types;

use files::{FileOption, flag, optimize_for};
use nri_schema::schema::{
    EnumDescriptor, FieldDescriptor, File, Id, MessageDescriptor, Method, ServiceDescriptor, Span,
    value,
};

use super::pairs::Pair;
use super::sink::RuleRun;
use crate::report::finding::Location;
use crate::rules::ids;
use crate::rules::table::buf_rules;

macro_rules! checks {
    ($($id:ident => $kind:ident($check:expr),)*) => {
        /// The rules of `buf breaking` by id, each with its check.
        pub(super) static CHECKS: &[(&str, BufCheck)] = &[$((ids::$id, BufCheck::$kind($check))),*];
    };
}

buf_rules!(checks);

/// A check of both schemas, or of an element that both have.
type Of<T> = fn(&mut RuleRun<'_>, &T, &T);

/// A check: the elements that it applies to, and its function.
pub(super) enum BufCheck {
    Schemas(fn(&mut RuleRun<'_>)),
    Files(Of<File>),
    FileOption(FileOption),
    Messages(Of<MessageDescriptor>),
    Fields(Of<FieldDescriptor>),
    Enums(Of<EnumDescriptor>),
    Services(Of<ServiceDescriptor>),
    Methods(Of<Method>),
}

impl BufCheck {
    /// Runs the check on everything that it applies to.
    pub(super) fn run(&self, run: &mut RuleRun<'_>) {
        let pairs = run.pairs;
        match self {
            Self::Schemas(check) => check(run),
            Self::Files(check) => each(&pairs.files, |old, new| check(run, old, new)),
            Self::FileOption(option) => each(&pairs.files, |old, new| option.check(run, old, new)),
            Self::Messages(check) => each(&pairs.messages, |old, new| check(run, old, new)),
            Self::Fields(check) => each(&pairs.fields, |old, new| check(run, old, new)),
            Self::Enums(check) => each(&pairs.enums, |old, new| check(run, old, new)),
            Self::Services(check) => each(&pairs.services, |old, new| check(run, old, new)),
            Self::Methods(check) => each(&pairs.methods, |old, new| check(run, old, new)),
        }
    }
}

fn each<T>(pairs: &[Pair<'_, T>], mut check: impl FnMut(&T, &T)) {
    pairs.iter().for_each(|(old, new)| check(old, new));
}

/// Returns a field as messages name it: by number and name. Extensions have full names, fields and
/// messages short ones.
fn field(field: &FieldDescriptor) -> String {
    let FieldDescriptor { number, owner, .. } = field;
    if field.is_extension {
        format!("extension {number} {:?} of message {owner:?}", field.id.full)
    } else {
        format!("field {number} {:?} of message {owner:?}", field.id.name())
    }
}

/// Reports a change of a part of a field, at its place, or else where the field is declared.
fn changed(
    run: &mut RuleRun<'_>,
    new: &FieldDescriptor,
    place: Option<Location>,
    part: &str,
    [before, after]: [&str; 2],
) {
    let message = format!("{} changed {part} from {before} to {after}", field(new));
    run.report_at(place, &new.id, message);
}

/// Reports a message or enum that may no longer be written as JSON, at the path of the feature.
fn json_format(run: &mut RuleRun<'_>, new: &Id, what: &str, formats: [i32; 2], path: &[i32]) {
    let [before, after] = formats.map(|format| format == value::JSON_ALLOW);
    if before && !after {
        let place = run.pairs.to.feature(new, path);
        let message = format!("{what} {:?} lost guaranteed JSON support", new.name());
        run.report_at(place, new, message);
    }
}

/// The condition under which an element may be deleted.
#[derive(Clone, Copy)]
pub(in crate::diff) enum Unless {
    Never,
    NameReserved,
    NumberReserved,
}

impl Unless {
    /// Returns true if the element with this number and these names may be deleted from a message
    /// or enum with these reserved names and ranges.
    fn permits<'n>(
        self,
        (number, names): (i32, impl IntoIterator<Item = &'n str>),
        (reserved_names, reserved_numbers): (&[String], &[Span]),
    ) -> bool {
        let is_reserved = |name: &str| reserved_names.iter().any(|reserved| reserved == name);
        match self {
            Self::Never => false,
            Self::NameReserved => names.into_iter().all(is_reserved),
            Self::NumberReserved => ranges::contains(reserved_numbers, number.into()),
        }
    }

    /// Returns the end of the message about an element that was deleted.
    const fn ending(self) -> &'static str {
        match self {
            Self::Never => "",
            Self::NameReserved => " without its name being reserved",
            Self::NumberReserved => " without its number being reserved",
        }
    }
}

/// Returns the name of a number from a list of names.
fn word(names: &[&'static str], number: i32) -> &'static str {
    let name = usize::try_from(number).ok().and_then(|number| names.get(number));
    name.unwrap_or(&"unknown")
}

/// Returns the names in quotes, joined by commas.
fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

//! Validation and representation of strings: UTF-8 validation, and the C++ and Java options for it.

use super::super::features::value;
use super::super::pairs::{Pair, Pairs};
use super::super::schema::element::{Field, File, number as n};
use super::super::schema::in_file;
use super::super::sink::Sink;

/// Paths below a field: options, then the option or `features` and the feature in it.
const CTYPE: [i32; 2] = [8, 1];
const UTF8: [i32; 3] = [8, 21, 4];
const CPP_STRING_TYPE: [i32; 4] = [8, 21, 1000, 2];
const JAVA_UTF8: [i32; 4] = [8, 21, 1001, 2];
/// The path of the file option `java_string_check_utf8`.
const JAVA_STRING_CHECK_UTF8: [i32; 2] = [8, 27];
const EDITION_2024: i32 = 1001;

pub(in super::super) fn utf8(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    let (before, after) = (old.features.utf8_validation, new.features.utf8_validation);
    if old.kind != n::STRING || new.kind != n::STRING || before == after {
        return;
    }
    let place = pairs
        .to
        .feature(&new.id, &UTF8)
        .or_else(|| pairs.to.declared(&new.id));
    let (field, before, after) = (super::field(new), utf8_words(before), utf8_words(after));
    let message = format!("{field} changed UTF-8 validation from {before} to {after}");
    sink.add(pairs.place(place, &new.id), &new.id.full, message);
}

pub(in super::super) fn java_utf8(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    if old.kind != n::STRING || new.kind != n::STRING {
        return;
    }
    let file = pairs.to.file_of(&new.id);
    let before = java_validation(old, pairs.from.file_of(&old.id));
    let after = java_validation(new, file);
    if before != after {
        let place = in_file(file, &JAVA_STRING_CHECK_UTF8)
            .or_else(|| pairs.to.feature(&new.id, &JAVA_UTF8))
            .or_else(|| pairs.to.declared(&new.id));
        let (field, before, after) = (super::field(new), utf8_words(before), utf8_words(after));
        let message = format!("{field} changed UTF-8 validation in Java from {before} to {after}");
        sink.add(pairs.place(place, &new.id), &new.id.full, message);
    }
}

/// Returns the UTF-8 validation for Java. The file option decides if it is set or the file has no
/// features, then Java's feature, then the general one.
fn java_validation(field: &Field, file: &File) -> i32 {
    let option = file.options.java_string_check_utf8;
    let by_option = file.edition == 0 || option.is_some();
    let verifies = if by_option {
        option == Some(true)
    } else {
        field.features.java_utf8_validation == value::JAVA_VERIFY
    };
    if verifies {
        value::UTF8_VERIFY
    } else {
        field.features.utf8_validation
    }
}

const fn utf8_words(validation: i32) -> &'static str {
    match validation {
        value::UTF8_VERIFY => "VERIFY",
        value::UTF8_NONE => "NONE",
        _ => "unknown",
    }
}

pub(in super::super) fn cpp(
    pairs: &Pairs<'_>,
    Pair { old, new }: Pair<'_, Field>,
    sink: &mut Sink,
) {
    let in_map_entries = old.in_map_entry && new.in_map_entry;
    let both_text = [old, new]
        .iter()
        .all(|field| matches!(field.kind, n::STRING | n::BYTES));
    if in_map_entries || !both_text {
        return;
    }
    let before = cpp_type(old, pairs.from.file_of(&old.id));
    let after = cpp_type(new, pairs.to.file_of(&new.id));
    if before == after || (before, after) == (CppType::StringPiece, CppType::String) {
        return;
    }
    let place = pairs
        .to
        .part(&new.id, &CTYPE)
        .or_else(|| pairs.to.feature(&new.id, &CPP_STRING_TYPE))
        .or_else(|| pairs.to.declared(&new.id));
    let field = super::field(new);
    let message = format!(
        "{field} changed C++ type from {} to {}",
        before.as_str(),
        after.as_str()
    );
    sink.add(pairs.place(place, &new.id), &new.id.full, message);
}

/// The C++ type of a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CppType {
    String,
    StringPiece,
    Cord,
    View,
}

impl CppType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::StringPiece => "STRING_PIECE",
            Self::Cord => "CORD",
            Self::View => "VIEW",
        }
    }
}

/// Returns the C++ string type. The option decides up to edition 2023, the feature if there is no
/// option.
fn cpp_type(field: &Field, file: &File) -> CppType {
    match field.ctype.filter(|_| file.edition < EDITION_2024) {
        Some(0) => CppType::String,
        Some(1) => CppType::Cord,
        Some(2) => CppType::StringPiece,
        _ => match field.features.cpp_string_type {
            value::CPP_CORD => CppType::Cord,
            value::CPP_VIEW => CppType::View,
            _ => CppType::String,
        },
    }
}

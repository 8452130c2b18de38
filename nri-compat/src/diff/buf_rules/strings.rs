//! Validation and representation of strings: UTF-8 validation, and the C++ and Java options for it.

use super::super::sink::RuleRun;
use super::changed;
use nri_schema::schema::value;
use nri_schema::schema::{FieldDescriptor, File, number as n};

/// Paths below a field: options, then the option or `features` and the feature in it.
const CTYPE: [i32; 2] = [8, 1];
const UTF8: [i32; 3] = [8, 21, 4];
const CPP_STRING_TYPE: [i32; 4] = [8, 21, 1000, 2];
const JAVA_UTF8: [i32; 4] = [8, 21, 1001, 2];
/// The path of the file option `java_string_check_utf8`.
const JAVA_STRING_CHECK_UTF8: [i32; 2] = [8, 27];
const EDITION_2024: i32 = 1001;

/// The C++ types of a string of which one may become the other.
const STRING: &str = "STRING";
const STRING_PIECE: &str = "STRING_PIECE";

pub(in crate::diff) fn utf8(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let (before, after) = (old.features.utf8_validation, new.features.utf8_validation);
    if old.kind != n::STRING || new.kind != n::STRING || before == after {
        return;
    }
    let place = run.pairs.to.feature(&new.id, &UTF8);
    let words = [before, after].map(utf8_words);
    changed(run, new, place, "UTF-8 validation", words);
}

pub(in crate::diff) fn java_utf8(
    run: &mut RuleRun<'_>,
    old: &FieldDescriptor,
    new: &FieldDescriptor,
) {
    if old.kind != n::STRING || new.kind != n::STRING {
        return;
    }
    let pairs = run.pairs;
    let file = pairs.to.file_of(&new.id);
    let before = java_validation(old, pairs.from.file_of(&old.id));
    let after = java_validation(new, file);
    if before != after {
        let option = file.part(&JAVA_STRING_CHECK_UTF8);
        let place = option.or_else(|| pairs.to.feature(&new.id, &JAVA_UTF8));
        let words = [before, after].map(utf8_words);
        changed(run, new, place, "UTF-8 validation in Java", words);
    }
}

/// Returns the UTF-8 validation for Java. The file option decides if it is set or the file has no
/// features, then Java's feature, then the general one.
fn java_validation(field: &FieldDescriptor, file: &File) -> i32 {
    let option = file.options.java_string_check_utf8;
    let by_option = file.edition == 0 || option.is_some();
    let verifies = if by_option {
        option == Some(true)
    } else {
        field.features.java_utf8_validation == value::JAVA_VERIFY
    };
    if verifies { value::UTF8_VERIFY } else { field.features.utf8_validation }
}

fn utf8_words(validation: i32) -> &'static str {
    match validation {
        value::UTF8_VERIFY => "VERIFY",
        value::UTF8_NONE => "NONE",
        _ => "unknown",
    }
}

pub(in crate::diff) fn cpp(run: &mut RuleRun<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let in_map_entries = old.in_map_entry && new.in_map_entry;
    let is_text = |field: &FieldDescriptor| matches!(field.kind, n::STRING | n::BYTES);
    if in_map_entries || !is_text(old) || !is_text(new) {
        return;
    }
    let pairs = run.pairs;
    let before = cpp_type(old, pairs.from.file_of(&old.id));
    let after = cpp_type(new, pairs.to.file_of(&new.id));
    if before == after || (before, after) == (STRING_PIECE, STRING) {
        return;
    }
    let option = pairs.to.part(&new.id, &CTYPE);
    let place = option.or_else(|| pairs.to.feature(&new.id, &CPP_STRING_TYPE));
    changed(run, new, place, "C++ type", [before, after]);
}

/// Returns the C++ string type. The option decides up to edition 2023, the feature if there is no
/// option.
fn cpp_type(field: &FieldDescriptor, file: &File) -> &'static str {
    match (field.ctype.filter(|_| file.edition < EDITION_2024), field.features.cpp_string_type) {
        (Some(0), _) => STRING,
        (Some(2), _) => STRING_PIECE,
        (Some(1), _) | (_, value::CPP_CORD) => "CORD",
        (_, value::CPP_VIEW) => "VIEW",
        (_, _) => STRING,
    }
}

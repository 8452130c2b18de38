//! Converts places from those of protox to those of buf's compiler, with the text of the file.
//!
//! protox follows protoc: a column counts bytes, `default` and `json_name` are at their values, and
//! the name of a group is at the name. buf counts columns of a terminal, and points at the option
//! and at `group`.

use std::collections::HashMap;

use memchr::memmem;
use nri_schema::schema::LineColumn;
use unicode_width::UnicodeWidthStr;

/// The width of a tab stop.
const TAB: usize = 4;

/// The tags in `FieldDescriptorProto` whose places differ.
const TYPE: i32 = 5;
const TYPE_NAME: i32 = 6;
const DEFAULT_VALUE: i32 = 7;
const JSON_NAME: i32 = 10;

/// Moves every place of a file to where buf reports it.
pub(super) fn adjust(places: &mut HashMap<Vec<i32>, LineColumn>, text: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    let groups: Vec<_> =
        places.iter().filter_map(|(path, place)| group(path, *place, places)).collect();
    places.extend(groups);
    for (path, place) in places {
        if let Some(word) = word_of(path) {
            *place = before(&lines, *place, word).unwrap_or(*place);
        }
        if let Some(line) = line(&lines, place.0) {
            place.1 = column(line, place.1);
        }
    }
}

/// Adjusts a group, the only field with both a type and a type name.
fn group(
    path: &[i32],
    place: LineColumn,
    places: &HashMap<Vec<i32>, LineColumn>,
) -> Option<(Vec<i32>, LineColumn)> {
    let [field @ .., TYPE] = path else {
        return None;
    };
    let name = [field, &[TYPE_NAME]].concat();
    (is_field(field) && places.contains_key(&name)).then_some((name, place))
}

/// Returns the word in the text that stands for the part of a field at this path, if protox points
/// past it.
fn word_of(path: &[i32]) -> Option<&'static str> {
    match path {
        [field @ .., DEFAULT_VALUE] if is_field(field) => Some("default"),
        [field @ .., JSON_NAME] if is_field(field) => Some("json_name"),
        _ => None,
    }
}

/// Returns true if a path leads to a field or extension: at the top of a file, or in a message,
/// which may be nested.
fn is_field(path: &[i32]) -> bool {
    let [4, _, inner @ ..] = path else {
        return matches!(path, [7, _]);
    };
    let mut inner = inner;
    while let [3, _, nested @ ..] = inner {
        inner = nested;
    }
    matches!(inner, [2 | 6, _])
}

fn line<'a>(lines: &[&'a str], number: u32) -> Option<&'a str> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    lines.get(index).copied()
}

/// Returns the nearest `word` at or before a place, on its line or one above.
fn before(lines: &[&str], place: LineColumn, word: &str) -> Option<LineColumn> {
    let byte = usize::try_from(place.1).ok()?.checked_sub(1)?;
    let (mut number, own) = (place.0, line(lines, place.0)?.as_bytes());
    let mut text = own.get(..byte + word.len()).unwrap_or(own);
    loop {
        if let Some(at) = memmem::rfind(text, word.as_bytes()) {
            return Some((number, u32::try_from(at).ok()?.checked_add(1)?));
        }
        number -= 1;
        text = line(lines, number)?.as_bytes();
    }
}

/// Returns the column on a screen of a byte's column, both from 1.
fn column(line: &str, byte: u32) -> u32 {
    let before = byte.checked_sub(1).map(|before| before as usize);
    let Some(text) = before.and_then(|before| line.get(..before)) else {
        return byte;
    };
    let after_tab = |width: usize, part: &str| (width / TAB + 1) * TAB + part.width();
    let mut parts = text.split('\t');
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    let width = parts.fold(first, after_tab);
    u32::try_from(width + 1).unwrap_or(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_a_terminal() {
        assert_eq!(column("\ta", 2), 5);
        assert_eq!(column("  \ta", 4), 5);
        assert_eq!(column("/* x\ty */\ta", 11), 17);
        assert_eq!(column("/* 漢字 */ a", 14), 12);
        assert_eq!(column("/* e\u{301} */ a", 11), 9);
        assert_eq!(column("/* 👩‍👩 */ a", 19), 10);
        assert_eq!(column("a", 99), 99);
    }

    #[test]
    fn places_outside_the_text_stay() {
        let mut places = HashMap::from([
            (vec![7, 0, 7], (9, 9)),
            (vec![7, 1, 7], (1, u32::MAX)),
            (vec![], (0, 0)),
        ]);
        let before = places.clone();
        adjust(&mut places, "a");
        assert_eq!(places, before);
    }
}

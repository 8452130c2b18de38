//! The text of a Go file without its comments and strings, on the same lines.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::pattern::regex;

/// Comments, and strings and runes in the group `text`. One that does not end extends to the end of
/// its line or file.
static COMMENTS_AND_TEXTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"//[^\n]*|/\*(?s:.*?)(?:\*/|\z)|(?<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`[^`]*(?:`|\z))"#,
    )
});

/// Returns the text with spaces instead of comments, and of strings if `texts` is true. The length
/// stays the same.
pub(super) fn blanked(text: &str, texts: bool) -> String {
    let blank = |found: &Captures<'_>| {
        if found.name("text").is_some() && !texts {
            return found[0].to_owned();
        }
        let spaces = found[0].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        spaces.collect()
    };
    COMMENTS_AND_TEXTS.replace_all(text, blank).into_owned()
}

//! Go's tokens, as far as declarations need them: comments are skipped, and the content of strings
//! is not code.
//!
//! [The grammar](https://go.dev/ref/spec#Lexical_elements). Broken text yields arbitrary tokens,
//! never an error.

use std::borrow::Cow;

use super::super::go_quote;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// An identifier, a keyword or a number.
    Word(&'t str),
    /// A string, without its quotes and with its escapes.
    Text(&'t str),
    /// Any other byte that is not a space.
    Mark(u8),
}

/// Returns true if the first token is `package`.
pub(super) fn starts_with_package(text: &str) -> bool {
    let mut tokens = tokens(text);
    tokens.next() == Some(Token::Word("package")) && matches!(tokens.next(), Some(Token::Word(_)))
}

/// Returns true if the text so far consists of comments, so that a package clause may follow.
pub(super) fn may_start_with_package(text: &str) -> bool {
    tokens(text).next().is_none()
}

/// Returns the tokens of a text.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            match comment(rest) {
                Some(after) => rest = after,
                None => break,
            }
        }
        let (token, after) = token(rest)?;
        rest = after;
        Some(token)
    })
}

/// Returns the text after a comment, if there is one.
fn comment(text: &str) -> Option<&str> {
    if let Some(line) = text.strip_prefix("//") {
        Some(line.split_once('\n').map_or("", |(_, after)| after))
    } else {
        let block = text.strip_prefix("/*")?;
        Some(block.split_once("*/").map_or("", |(_, after)| after))
    }
}

/// Returns the text without comments of the form `/*…*/`. Those with a line break act like one,
/// so the line breaks in them stay.
pub(super) fn without_block_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let code = rest.trim_start();
        let after = match comment(code) {
            Some(after) => after,
            None => token(code).map_or("", |(_, after)| after),
        };
        let piece = rest.get(..rest.len() - after.len()).unwrap_or(rest);
        if code.starts_with("/*") {
            let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
            kept.extend(piece.bytes().map(blank));
        } else {
            kept.push_str(piece);
        }
        rest = after;
    }
    Cow::Owned(kept)
}

fn token(text: &str) -> Option<(Token<'_>, &str)> {
    let first = text.chars().next()?;
    match first {
        '"' | '\'' => Some(quoted(text, first)),
        '`' => {
            let body = text.get(1..)?;
            let (inside, after) = body.split_once('`').unwrap_or((body, ""));
            Some((Token::Text(inside), after))
        }
        first if is_word(first) => {
            let end = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
            let (word, after) = text.split_at_checked(end)?;
            Some((Token::Word(word), after))
        }
        first => {
            let after = text.get(first.len_utf8()..)?;
            let mark = if first.is_ascii() { first as u8 } else { b'?' };
            Some((Token::Mark(mark), after))
        }
    }
}

/// Returns the value of a string literal; empty if it has escapes that no import path needs.
pub(super) fn unquoted(literal: &str) -> String {
    if let Some(raw) = literal
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
    {
        return raw.replace('\r', "");
    }
    let inside = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    go_quote::unescaped(inside.unwrap_or_default())
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// Splits off a string or rune with escapes; it ends at the end of the line at the latest.
fn quoted(text: &str, quote: char) -> (Token<'_>, &str) {
    let body = text.get(1..).unwrap_or_default();
    let mut escaped = false;
    let end = body.find(|letter| {
        let ends = letter == '\n' || letter == quote && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    let (inside, after) = body
        .split_at_checked(end.unwrap_or(body.len()))
        .unwrap_or_default();
    let token = match quote {
        '"' => Token::Text(inside),
        _ => Token::Mark(b'\''),
    };
    (token, after.get(1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code() {
        let text = "a // func b\n/* func\nc */ d \"e\\\" // f\" `g\n\"h` '\"' '\\'' i.j{";
        let found: Vec<_> = tokens(text).collect();
        assert_eq!(
            found,
            [
                Token::Word("a"),
                Token::Word("d"),
                Token::Text("e\\\" // f"),
                Token::Text("g\n\"h"),
                Token::Mark(b'\''),
                Token::Mark(b'\''),
                Token::Word("i"),
                Token::Mark(b'.'),
                Token::Word("j"),
                Token::Mark(b'{'),
            ]
        );
    }

    #[test]
    fn block_comments_leave_only_their_line_breaks() {
        let text = "a /* \u{e9}\n */ b // /* c\n\"/*\" '\"' `/*` d /**/ e /* f";
        let kept = without_block_comments(text);
        assert_eq!(kept.len(), text.len());
        assert_eq!(
            kept,
            "a      \n    b // /* c\n\"/*\" '\"' `/*` d      e     "
        );
    }

    #[test]
    fn broken_text_ends() {
        for text in ["\"a", "`a", "/* a", "'", "\"\\", "// a", "é\u{0}☃"] {
            assert!(tokens(text).count() <= 3, "{text}");
        }
    }

    #[test]
    fn a_package_comes_first_but_for_comments() {
        assert!(starts_with_package("// (c)\n\n/* x */ package main\n"));
        assert!(!starts_with_package("module x\npackage main"));
        assert!(!starts_with_package("package"));
    }
}

//! Go's tokens, as far as declarations need them: comments are skipped, and the content of strings
//! is not code.
//!
//! [The grammar](https://go.dev/ref/spec#Lexical_elements). Broken text yields arbitrary tokens,
//! never an error.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// An identifier, a keyword or a number.
    Word(&'t str),
    /// A string, without its quotes.
    Text(&'t str),
    /// Any other character that is not a space.
    Mark(char),
}

/// Returns the tokens of a text, each with its offset.
pub(super) fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
    let mut found = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let offset = text.len() - rest.len();
        let (token, after) = match comment(rest) {
            Some(after) => (None, after),
            None if first.is_whitespace() => (None, rest.trim_start()),
            None => token(rest, first),
        };
        found.extend(token.map(|token| (offset, token)));
        rest = after;
    }
    found
}

/// Returns the text after a comment, if there is one.
fn comment(text: &str) -> Option<&str> {
    if let Some(line) = text.strip_prefix("//") {
        return Some(line.split_once('\n').map_or("", |(_, after)| after));
    }
    let block = text.strip_prefix("/*")?;
    Some(block.split_once("*/").map_or("", |(_, after)| after))
}

/// Splits off the token that begins with this character.
fn token(text: &str, first: char) -> (Option<Token<'_>>, &str) {
    let body = text.get(first.len_utf8()..).unwrap_or_default();
    match first {
        '`' => {
            let (inside, after) = body.split_once('`').unwrap_or((body, ""));
            (Some(Token::Text(inside)), after)
        }
        '"' => {
            let (inside, after) = quoted(body, first);
            (Some(Token::Text(inside)), after)
        }
        '\'' => (None, quoted(body, first).1),
        first if is_word(first) => {
            let end = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
            let (word, after) = text.split_at(end);
            (Some(Token::Word(word)), after)
        }
        _ => (Some(Token::Mark(first)), body),
    }
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// Splits the rest of a string or rune at its end, which is the end of the line at the latest.
fn quoted(body: &str, quote: char) -> (&str, &str) {
    let mut escaped = false;
    let end = body.find(|letter| {
        let ends = letter == '\n' || letter == quote && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    let (inside, after) = body.split_at(end.unwrap_or(body.len()));
    (inside, after.get(1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code() {
        let text = "a // func b\n/* func\nc */ d \"e\\\" // f\" `g\n\"h` '\"' '\\'' i.j{";
        let found: Vec<_> = tokens(text).into_iter().map(|(_, token)| token).collect();
        assert_eq!(
            found,
            [
                Token::Word("a"),
                Token::Word("d"),
                Token::Text("e\\\" // f"),
                Token::Text("g\n\"h"),
                Token::Word("i"),
                Token::Mark('.'),
                Token::Word("j"),
                Token::Mark('{'),
            ]
        );
    }

    #[test]
    fn broken_text_ends() {
        for text in ["\"a", "`a", "/* a", "'", "\"\\", "// a", "é\u{0}☃"] {
            assert!(tokens(text).len() <= 3, "{text}");
        }
    }
}

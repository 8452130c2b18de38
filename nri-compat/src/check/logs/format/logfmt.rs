//! logfmt, as containerd and CRI-O write it: `time="…" level=warning msg="…" plugin=10-template`.

use super::{Around, Message, Peeled, Said};

/// Keys that are looked at.
const KEYS: [&str; 5] = ["time", "msg", "plugin", "deprecated", "details"];

/// Takes off logfmt: a line that begins with a key and has a `msg`, all of it well-formed. A key that comes twice
/// tells that two lines ran into each other.
pub(super) fn peel(text: &str, around: &mut Around) -> Option<Peeled> {
    let mut values = [const { None }; KEYS.len()];
    for pair in Pairs(text) {
        let (key, value) = pair?;
        let known = KEYS.iter().position(|known| *known == key);
        let place = known.and_then(|at| values.get_mut(at));
        if place.is_some_and(|place| place.replace(value).is_some()) {
            return None;
        }
    }
    let [time, text, plugin, deprecated, details] = values;
    let text = text?;
    around.time(time);
    Some(Peeled::Said(Said::Message(Message {
        text,
        plugin,
        deprecated,
        details,
    })))
}

/// Keys with their values, unquoted; `None` where the text is not logfmt.
struct Pairs<'t>(&'t str);

impl<'t> Iterator for Pairs<'t> {
    type Item = Option<(&'t str, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = self.0.trim_start();
        if self.0.is_empty() {
            return None;
        }
        let pair = pair(self.0);
        self.0 = pair.as_ref().map_or("", |(_, _, rest)| rest);
        Some(pair.map(|(key, value, _)| (key, value)))
    }
}

fn pair(text: &str) -> Option<(&str, String, &str)> {
    let (key, rest) = text.split_once('=')?;
    let is_key = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-' | '/' | '@')
    };
    if key.is_empty() || !key.chars().all(is_key) {
        return None;
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, rest) = unquote(quoted)?;
        return (rest.is_empty() || rest.starts_with(' ')).then_some((key, value, rest));
    }
    let (value, rest) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    // Whoever writes logfmt quotes a value with such letters: two lines ran into each other.
    (!value.contains(['=', '"'])).then(|| (key, value.to_owned(), rest))
}

/// The text up to the closing quote, its escapes resolved as Go writes them, and what follows the quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(escape(&mut letters)?),
            _ => value.push(letter),
        }
    }
    None
}

fn escape(letters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let digits = match letters.next()?.1 {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        'a' | 'b' | 'f' | 'v' => return Some(' '),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + letters.next()?.1.to_digit(16)?;
    }
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

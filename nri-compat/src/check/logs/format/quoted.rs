//! Text within quotes, with one level of escaping removed, for truncated JSON, for lines in CSV,
//! and for programs that print one text within another.

/// The notations of nested text. Each returns the segments of a text with one level of the notation
/// removed, and nothing for a text without it.
pub(super) const NOTATIONS: [fn(&str) -> Vec<String>; 4] =
    [backslashes, doubled, entities, numbers];

/// Decodes `\"` within `"`, as in JSON and Go.
fn backslashes(text: &str) -> Vec<String> {
    if !text.contains('\\') {
        return Vec::new();
    }
    let (mut segments, mut segment) = (Vec::new(), String::new());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => segments.push(std::mem::take(&mut segment)),
            '\\' => segment.push(escaped(&mut letters)),
            other => segment.push(other),
        }
    }
    segments.push(segment);
    segments
}

/// Returns the character of an escape.
fn escaped(letters: &mut std::str::Chars<'_>) -> char {
    match letters.next() {
        Some('n' | 'r' | 't' | 'b' | 'f') => ' ',
        Some('u') => unicode(letters),
        Some(other) => other,
        None => '\\',
    }
}

/// Returns the character of four hexadecimal digits, which JSON encoders write for `"`, `<`, `>`
/// and `&`.
fn unicode(letters: &mut std::str::Chars<'_>) -> char {
    let code = letters.as_str().get(..4);
    let letter = code
        .and_then(|code| u32::from_str_radix(code, 16).ok())
        .and_then(char::from_u32);
    if letter.is_some() {
        letters.by_ref().take(4).for_each(drop);
    }
    letter.unwrap_or('u')
}

/// Decodes `""` within `"`, as in CSV.
fn doubled(text: &str) -> Vec<String> {
    if !text.contains("\"\"") {
        return Vec::new();
    }
    let (mut segments, mut segment) = (Vec::new(), String::new());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if letters.next_if_eq(&'"').is_some() => segment.push('"'),
            '"' => segments.push(std::mem::take(&mut segment)),
            other => segment.push(other),
        }
    }
    segments.push(segment);
    segments
}

/// Decodes `&quot;`, as in HTML and XML.
fn entities(text: &str) -> Vec<String> {
    let names = [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    if !names.iter().any(|(name, _)| text.contains(name)) {
        return Vec::new();
    }
    let resolved = names.iter().fold(text.to_owned(), |text, (name, letter)| {
        text.replace(name, letter)
    });
    vec![resolved]
}

/// Decodes lists of numbers, one per byte: `116,105,109,101`.
fn numbers(text: &str) -> Vec<String> {
    let lists = text.split(|letter: char| {
        !(letter.is_ascii_digit() || letter == ',' || letter.is_ascii_whitespace())
    });
    let bytes = |list: &str| -> Vec<u8> {
        let numbers = list.split(',').map(|number| number.trim().parse().ok());
        numbers.flatten().collect()
    };
    lists
        .filter(|list| list.contains(','))
        .map(|list| String::from_utf8_lossy(&bytes(list)).into_owned())
        .collect()
}

//! Wraps the documentation of generated code as that of written code.

use textwrap::{Options, WordSplitter};

/// The last column of a comment.
const WIDTH: usize = 100;

/// The start of a line of documentation.
const START: &str = "///";

/// The start of the lines around code.
const FENCE: &str = "```";

/// The start of an item of a list, and of the lines that continue it.
const ITEM: (&str, &str) = ("- ", "  ");

/// Wraps each paragraph and item of documentation in which a line is too long. Code and tables stay
/// as they are.
pub(crate) fn wrapped(source: &str) -> String {
    let (mut text, mut paragraph, mut is_code) = (String::new(), Vec::new(), false);
    for line in source.lines() {
        let content = line.trim_start().strip_prefix(START).map(str::trim_start);
        is_code ^= content.is_some_and(|content| content.starts_with(FENCE));
        let is_prose = !is_code && content.is_some_and(is_prose);
        if !is_prose || content.is_some_and(|content| content.starts_with(ITEM.0)) {
            flush(&mut paragraph, &mut text);
        }
        if is_prose {
            paragraph.push(line);
        } else {
            text.extend([line, "\n"]);
        }
    }
    flush(&mut paragraph, &mut text);
    text
}

/// Returns true if a line of documentation is neither empty nor of a table, nor a fence of code.
fn is_prose(content: &str) -> bool {
    !content.is_empty() && !content.starts_with('|') && !content.starts_with(FENCE)
}

/// Appends a paragraph, wrapped if it has a long line.
fn flush(paragraph: &mut Vec<&str>, text: &mut String) {
    if paragraph.iter().all(|line| line.chars().count() <= WIDTH) {
        text.extend(paragraph.drain(..).flat_map(|line| [line, "\n"]));
        return;
    }
    let first = paragraph[0];
    let indent = &first[..first.len() - first.trim_start().len()];
    let contents = paragraph.drain(..).map(|line| line.trim_start().trim_start_matches('/').trim());
    let joined = contents.collect::<Vec<_>>().join(" ");
    let continued = if joined.starts_with(ITEM.0) { ITEM.1 } else { "" };
    let options = Options::new(WIDTH - indent.len() - START.len() - 1)
        .subsequent_indent(continued)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    for line in textwrap::wrap(&joined, options) {
        *text += &format!("{indent}{START} {line}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_paragraphs_and_items_are_wrapped_and_nothing_else() {
        let long = "word ".repeat(30);
        let source = format!(
            "    /// {long}\n    /// end\n    ///\n    /// - {long}\n    /// - short\n    /// ```\n    /// {long}\n    /// ```\n    /// | {long} |\n    fn a() {{}} // {long}\n"
        );
        let text = wrapped(&source);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[..6].iter().all(|line| line.len() <= 100), "{text}");
        assert!(lines[1].ends_with("word end") && lines[2] == "    ///", "{text}");
        assert!(lines[3].starts_with("    /// - word") && lines[4].starts_with("    ///   word"));
        assert_eq!(lines[5..], source.lines().collect::<Vec<_>>()[4..]);
        assert_eq!(wrapped(&text), text);
    }

    #[test]
    fn code_is_kept() {
        let code = "/// a\n\nfn a() {\n    // b\n}\n";
        assert_eq!(wrapped(code), code);
    }
}

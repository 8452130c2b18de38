//! Converts comments of protos to rustdoc, without failing doctests, broken links or HTML tags.

/// The spaces after a mark that begin indented code.
const CODE_INDENT: &str = "     ";

/// Returns the comment as markdown that rustdoc renders as text: code blocks are fenced as `text`,
/// square and angle brackets escaped, addresses converted to links.
pub(super) fn markdown(comment: &str) -> String {
    let comment = clean(comment);
    let mut markdown = String::new();
    for block in blocks(&comment) {
        match block {
            Block::Code(lines) => {
                let fence = fence(&lines);
                markdown += &format!("{fence}text\n{}\n{fence}\n", lines.join("\n"));
            }
            Block::Text(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| unfenced(line)).collect();
                markdown += &(escape(&lines.join("\n")) + "\n");
            }
            Block::Blank => markdown.push('\n'),
        }
    }
    markdown.trim_matches('\n').to_owned()
}

/// Replaces what rustc rejects in a comment: carriage returns, other control characters, and those
/// that change the direction of text. Private characters represent others while prost-build runs.
fn clean(comment: &str) -> String {
    let lines = comment.replace("\r\n", "\n").replace('\r', "\n");
    lines.chars().map(accepted).collect()
}

/// Returns a character, or a replacement for one that rustc rejects.
fn accepted(letter: char) -> char {
    match letter {
        '\n' | '\t' => letter,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e000}'..='\u{e002}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

enum Block<'c> {
    /// Lines of code, without indentation or fence.
    Code(Vec<&'c str>),
    /// A paragraph.
    Text(Vec<&'c str>),
    Blank,
}

/// Splits a comment like markdown: fences, indented code after a blank line, paragraphs.
fn blocks(comment: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = comment.lines().peekable();
    while let Some(first) = lines.next() {
        if first.trim().is_empty() {
            blocks.push(Block::Blank);
        } else if let Some(mark) = opening(first) {
            let code = lines.by_ref().take_while(|line| !closes(line, mark));
            blocks.push(Block::Code(code.collect()));
        } else if let Some(start) = indented(first) {
            let mut code = vec![start];
            while let Some(next) =
                lines.next_if(|line| line.trim().is_empty() || indented(line).is_some())
            {
                code.push(indented(next).unwrap_or(""));
            }
            // Blank lines at the end separate the code from the text after it.
            let end = code.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
            let blank = code.len() > end;
            code.truncate(end);
            blocks.push(Block::Code(code));
            blocks.extend(blank.then_some(Block::Blank));
        } else {
            let mut text = vec![first];
            while let Some(next) =
                lines.next_if(|line| !line.trim().is_empty() && opening(line).is_none())
            {
                text.push(next);
            }
            blocks.push(Block::Text(text));
        }
    }
    blocks
}

/// Returns a line without code after the mark of a list or quotation, where it would be Rust, too:
/// a fence gets a backslash, and the five spaces that begin indented code become one.
fn unfenced(line: &str) -> String {
    let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-+*>.)".contains(c);
    let (indent, line) = line.split_at(line.len() - line.trim_start().len());
    let (marks, rest) = line.split_at(line.len() - line.trim_start_matches(is_mark).len());
    let mut marks = marks.to_owned();
    while marks.contains(CODE_INDENT) {
        marks = marks.replace(CODE_INDENT, " ");
    }
    let fence = opening(rest).map_or("", |_| "\\");
    format!("{indent}{marks}{fence}{rest}")
}

/// Returns the marks that open a fence on this line: three or more backticks or tildes.
fn opening(line: &str) -> Option<&str> {
    if indented(line).is_some() {
        return None;
    }
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then(|| line.get(..length)).flatten()
}

fn closes(line: &str, mark: &str) -> bool {
    let line = line.trim();
    line.starts_with(mark) && line.trim_start_matches(mark.chars().next().unwrap_or('`')).is_empty()
}

/// Returns the code of a line that is indented by a tab or four spaces.
fn indented(line: &str) -> Option<&str> {
    line.strip_prefix("    ").or_else(|| line.strip_prefix('\t'))
}

/// Returns a fence that none of `lines` closes.
fn fence(lines: &[&str]) -> String {
    let longest =
        lines.iter().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    "`".repeat(longest.unwrap_or(0).max(2) + 1)
}

/// Escapes a paragraph, except code spans.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '`' => code_span(rest),
            'h' if is_address(rest) => address(rest),
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            _ => next.len_utf8(),
        };
        let (token, after) = rest.split_at(taken.min(rest.len()));
        match next {
            '[' | ']' | '<' | '>' => escaped.extend(['\\', next]),
            'h' if taken > 1 => escaped += &format!("<{token}>"),
            _ => escaped += token,
        }
        rest = after;
    }
    escaped
}

/// Returns the length of the code span at the start of `rest`, or of its backticks if it is not
/// closed.
fn code_span(rest: &str) -> usize {
    let ticks = rest.chars().take_while(|c| *c == '`').count();
    let mut at = ticks;
    while let Some(found) = rest.get(at..).and_then(|rest| rest.find('`')) {
        let start = at + found;
        let run =
            rest.get(start..).map_or(0, |rest| rest.chars().take_while(|c| *c == '`').count());
        at = start + run;
        if run == ticks {
            return at;
        }
    }
    ticks
}

fn is_address(rest: &str) -> bool {
    rest.starts_with("https://") || rest.starts_with("http://")
}

/// Returns the length of the address at the start of `rest`, without a full stop or bracket after
/// it.
fn address(rest: &str) -> usize {
    let end = rest.find(|c: char| c.is_whitespace() || "<>()[]`\"".contains(c));
    let address = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
    address.trim_end_matches(['.', ',', ';', ':', '!', '?']).len()
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn indented_and_fenced_examples_become_text() {
        let comment =
            "An example:\n\n    let x = [1];\n\n    more\n\nEnd.\n```\nlet y: Nope = 1;\n```";
        assert_eq!(
            markdown(comment),
            "An example:\n\n```text\nlet x = [1];\n\nmore\n```\n\nEnd.\n```text\nlet y: Nope = 1;\n```"
        );
    }

    #[test]
    fn code_at_the_very_start_and_an_open_fence_are_closed() {
        assert_eq!(markdown("    code"), "```text\ncode\n```");
        assert_eq!(markdown("~~~rust\nfn main("), "```text\nfn main(\n```");
        assert_eq!(markdown("    ```\n    x"), "````text\n```\nx\n````");
    }

    #[test]
    fn fences_in_lists_and_quotations_are_no_fences() {
        assert_eq!(markdown("* ```\n  assert!(false);"), "* \\```\n  assert!(false);");
        assert_eq!(markdown("> 1. ~~~rust\n> x"), "\\> 1. \\~~~rust\n\\> x");
        assert_eq!(markdown("- a ``` b"), "- a ``` b");
        assert_eq!(markdown("-     f();"), "- f();");
        assert_eq!(markdown("* 1.         f();"), "* 1. f();");
        assert_eq!(markdown("-    a"), "-    a");
    }

    #[test]
    fn brackets_and_angles_are_escaped_outside_code_spans() {
        assert_eq!(
            markdown("a [link] to <id>, `[1] <x>`, ``a`[b]`` and [x](y)"),
            r"a \[link\] to \<id\>, `[1] <x>`, ``a`[b]`` and \[x\](y)"
        );
        assert_eq!(markdown("an ` open [tick]"), r"an ` open \[tick\]");
        assert_eq!(markdown(r"already \[so\]"), r"already \[so\]");
    }

    #[test]
    fn addresses_become_links() {
        assert_eq!(markdown("see https://a.b/c_d?e=f. And h"), "see <https://a.b/c_d?e=f>. And h");
        assert_eq!(markdown("(https://a.b)"), "(<https://a.b>)");
        assert_eq!(markdown("https:// alone"), "<https://> alone");
    }
}

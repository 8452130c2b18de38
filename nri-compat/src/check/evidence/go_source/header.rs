//! The imports of a file, without parsing the rest of it.

use super::super::go_quote;
use super::lexer::{self, Token};
use super::syntax::Import;

/// Returns the package clause and the imports of a file; `None` if it has no package clause.
pub(super) fn read(text: &str) -> Option<(String, Vec<Import>)> {
    let mut tokens = lexer::tokens(text);
    let (Some(Token::Word("package")), Some(Token::Word(name))) = (tokens.next(), tokens.next())
    else {
        return None;
    };
    let mut imports = Vec::new();
    let mut alias = None;
    let mut place = Place::Outside;
    for token in tokens {
        match (place, token) {
            (Place::Outside, Token::Word("import")) => place = Place::Import,
            (Place::Import, Token::Mark(b'(')) => place = Place::List,
            (Place::List, Token::Mark(b')')) => place = Place::Outside,
            (Place::Import | Place::List, Token::Word(name)) => alias = Some(name.to_owned()),
            (Place::Import | Place::List, Token::Mark(b'.')) => alias = Some(".".to_owned()),
            (Place::Import | Place::List, Token::Text(path)) => {
                imports.push(Import {
                    alias: alias.take(),
                    path: go_quote::unescaped(path),
                });
                if place == Place::Import {
                    place = Place::Outside;
                }
            }
            // Imports come first.
            (Place::Outside, Token::Word("func" | "type" | "var" | "const")) => break,
            _ => {}
        }
    }
    Some((name.to_owned(), imports))
}

/// The context of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Import,
    List,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read_however_they_are_written() {
        let text = "// (c)\npackage p; import . \"a/b\"; import x `c`\nimport (\n_ \"\\x64\"\n\"e\"; f \"g\" // h\n)\nvar _ = \"import\"\nimport \"z\"";
        let (name, imports) = read(text).unwrap();
        let shown: Vec<_> = imports
            .iter()
            .map(|i| (i.alias.as_deref().unwrap_or(""), &*i.path))
            .collect();
        assert_eq!(name, "p");
        assert_eq!(
            shown,
            [(".", "a/b"), ("x", "c"), ("_", "d"), ("", "e"), ("f", "g")]
        );
        assert!(read("module x").is_none());
    }
}

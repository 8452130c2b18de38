//! The package clause, the imports and the handlers that a Go file declares.

use super::lexer::{Token, tokens};
use crate::facts::DEDICATED_RPCS;

/// The relevant declarations of a file.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) package: String,
    pub(super) imports: Vec<String>,
    pub(super) handlers: Vec<Handler>,
    /// The function with which the file registers a plugin without the stub.
    pub(super) registers: Option<&'static str>,
    /// True if the file is not part of every build for Linux.
    pub(super) is_conditional: bool,
}

/// A method with the form of a handler of an event that was sent as `StateChange` before v0.12.0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Handler {
    pub(super) event: &'static str,
    /// The line of the declaration, counted from 1.
    pub(super) line: u32,
    /// True if it takes a context, as from v0.4.0 on.
    pub(super) takes_context: bool,
}

/// Functions of NRI's bindings that make a program a plugin without the stub.
const REGISTRATIONS: [&str; 2] = ["RegisterPlugin", "RegisterPluginService"];

/// The ends of names of files that are only built for other systems, besides those for an architecture.
const OTHER_SYSTEMS: [&str; 8] = [
    "_windows", "_darwin", "_freebsd", "_netbsd", "_openbsd", "_solaris", "_wasip1", "_js",
];

/// The ends of names of files that are only built for one architecture.
const ARCHITECTURES: [&str; 8] = [
    "_amd64", "_arm64", "_arm", "_386", "_ppc64le", "_s390x", "_riscv64", "_wasm",
];

/// Returns the declarations of a file; `None` if it has no package clause.
pub(super) fn read(file_name: &str, text: &str) -> Option<Declarations> {
    let tokens = tokens(text);
    let [
        (_, Token::Word("package")),
        (_, Token::Word(package)),
        rest @ ..,
    ] = &tokens[..]
    else {
        return None;
    };
    let mut found = Declarations {
        package: (*package).to_owned(),
        imports: imports(rest),
        is_conditional: is_conditional(file_name, text),
        ..Declarations::default()
    };
    found.is_conditional |= found.imports.iter().any(|path| path == "C");
    let words = rest.iter();
    found.registers = words.into_iter().find_map(|(_, token)| match token {
        Token::Word(word) => REGISTRATIONS.into_iter().find(|name| name == word),
        Token::Text(_) | Token::Mark(_) => None,
    });
    let mut depth = 0_usize;
    for (at, (offset, token)) in rest.iter().enumerate() {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => depth = depth.saturating_sub(1),
            Token::Word("func") if depth == 0 => {
                let before = text.get(..*offset).unwrap_or_default();
                let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
                let tokens = rest.get(at + 1..).unwrap_or_default();
                found.handlers.extend(handler(tokens, line));
            }
            Token::Word(_) | Token::Text(_) | Token::Mark(_) => {}
        }
    }
    Some(found)
}

/// Returns the paths of the imports, which precede all other declarations.
fn imports(tokens: &[(usize, Token<'_>)]) -> Vec<String> {
    let is_declaration =
        |token: &Token<'_>| matches!(token, Token::Word("func" | "type" | "var" | "const"));
    let tokens = tokens.iter().map(|(_, token)| token);
    let before = tokens.take_while(|token| !is_declaration(token));
    let texts = before.filter_map(|token| match token {
        Token::Text(path) => Some((*path).to_owned()),
        Token::Word(_) | Token::Mark(_) => None,
    });
    texts.collect()
}

/// Returns the handler that the tokens after `func` declare: `(p *plugin) RunPodSandbox(_ context.Context, pod
/// *api.PodSandbox) error {`. Methods of other interfaces have the same names, but take and return something else.
fn handler(tokens: &[(usize, Token<'_>)], line: u32) -> Option<Handler> {
    let (_, after) = parenthesized(tokens)?;
    let ((_, Token::Word(name)), after) = after.split_first()? else {
        return None;
    };
    let event = DEDICATED_RPCS.into_iter().find(|event| event == name)?;
    let (parameters, after) = parenthesized(after)?;
    let end = after
        .iter()
        .position(|(_, token)| *token == Token::Mark('{'))?;
    let results = after.get(..end)?;
    let has = |tokens: &[(usize, Token<'_>)], wanted: Token<'_>| {
        tokens.iter().any(|(_, token)| *token == wanted)
    };
    let is_handler = has(parameters, Token::Word("PodSandbox"))
        && has(results, Token::Word("error"))
        && !has(results, Token::Mark('*'));
    is_handler.then(|| Handler {
        event,
        line,
        takes_context: has(parameters, Token::Word("Context")),
    })
}

/// Tokens in a pair of parentheses, and those after it.
type Split<'s, 't> = (&'s [(usize, Token<'t>)], &'s [(usize, Token<'t>)]);

fn parenthesized<'s, 't>(tokens: &'s [(usize, Token<'t>)]) -> Option<Split<'s, 't>> {
    let ((_, Token::Mark('(')), rest) = tokens.split_first()? else {
        return None;
    };
    let mut depth = 1_usize;
    for (at, (_, token)) in rest.iter().enumerate() {
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') if depth == 1 => return Some((rest.get(..at)?, rest.get(at + 1..)?)),
            Token::Mark(')') => depth -= 1,
            Token::Mark(_) | Token::Word(_) | Token::Text(_) => {}
        }
    }
    None
}

/// Returns true if a build constraint or the name of a file restricts the builds that it is part of.
fn is_conditional(file_name: &str, text: &str) -> bool {
    let stem = file_name.strip_suffix(".go").unwrap_or(file_name);
    let mut ends = OTHER_SYSTEMS.iter().chain(&ARCHITECTURES);
    ends.any(|end| stem.ends_with(end))
        || text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("//go:build") || line.starts_with("// +build")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_told_from_other_methods() {
        let text = "package main\nimport (\n\"context\"; n `x/pkg/stub`\n)\nvar _ = `import \"z\"`\n\
            func (p *plugin[T]) RunPodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }\n\
            func (p plugin) StopPodSandbox(*api.PodSandbox) (err error) { return nil }\n\
            func (s *cri) StartContainer(c context.Context, r *v1.Request) (*v1.Answer, error) { return nil, nil }\n\
            func RemovePodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }\n\
            // func (p *plugin) PostStartContainer(_ context.Context, _ *api.PodSandbox) error {}\n\
            func (p *plugin) StopContainer(_ context.Context, _ *api.PodSandbox) error { return nil }\n";
        let found = read("main.go", text).unwrap();
        assert_eq!((&*found.package, found.is_conditional), ("main", false));
        assert_eq!(found.imports, ["context", "x/pkg/stub"]);
        let handlers: Vec<_> = found
            .handlers
            .iter()
            .map(|one| (one.event, one.line, one.takes_context))
            .collect();
        assert_eq!(
            handlers,
            [("RunPodSandbox", 6, true), ("StopPodSandbox", 7, false)]
        );
    }

    #[test]
    fn files_of_some_builds_are_conditional() {
        for (name, text, expected) in [
            ("a.go", "package a", false),
            ("a_linux.go", "package a", false),
            ("a_windows.go", "package a", true),
            ("a_linux_arm64.go", "package a", true),
            ("a.go", "//go:build ignore\n\npackage a", true),
            ("a.go", "package a\nimport \"C\"", true),
        ] {
            assert_eq!(
                read(name, text).unwrap().is_conditional,
                expected,
                "{name}: {text}"
            );
        }
        assert!(read("a.go", "module x").is_none());
    }
}

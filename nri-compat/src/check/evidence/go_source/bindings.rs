//! Go sources that answer NRI's calls without NRI's stub: they register the service of generated
//! bindings, or name the service themselves.

use super::lexer::{self, Token};
use crate::check::needles::Needles;

/// The function with which generated bindings register the service of a plugin.
const REGISTER: &str = "RegisterPluginService";
/// The prefix of the names of NRI's services.
const PROTOCOL: &str = "nri.pkg.api";
const REGISTERS: &str = "registers the plugin service (RegisterPluginService) without NRI's stub";
const NAMES: &str = "names NRI's protocol (nri.pkg.api)";
/// The folders of a copy of NRI that contain these, although they are not plugins: who imports them
/// may be one.
const OF_NRI: [&str; 3] = ["pkg/stub", "pkg/api", "pkg/adaptation"];

/// Returns how the code of a file answers NRI's calls, if it seems to do so, and the line that says so.
pub(super) fn used(path: &str, text: &str) -> Option<(&'static str, u32)> {
    if !Needles::new(&[REGISTER, PROTOCOL]).are_in(text.as_bytes()) || is_copy_of_nri(path) {
        return None;
    }
    let (mut registers, mut names) = (None, None);
    let mut before = Before::default();
    for token in lexer::tokens(text) {
        match token {
            // A file that declares the function is generated.
            Token::Word(REGISTER) if before.last[2] == Some(Token::Word("func")) => return None,
            Token::Word(word @ REGISTER) if !before.is_method() => {
                registers.get_or_insert_with(|| line(text, word));
            }
            Token::Text(inside) if inside.contains(PROTOCOL) => {
                names.get_or_insert_with(|| line(text, inside));
            }
            Token::Word(_) | Token::Text(_) | Token::Mark(_) => {}
        }
        before.push(token);
    }
    let registers = registers.map(|line| (REGISTERS, line));
    registers.or_else(|| names.map(|line| (NAMES, line)))
}

/// The tokens before a name, as far as they show that it is the name of a method.
#[derive(Default)]
struct Before<'t> {
    last: [Option<Token<'t>>; 3],
    /// The number of open parentheses of what may be a receiver.
    receiver: usize,
    /// The number of open braces: methods are declared outside of all.
    braces: usize,
    /// True if the last token ended a receiver.
    after_receiver: bool,
}

impl<'t> Before<'t> {
    fn push(&mut self, token: Token<'t>) {
        let is_func = self.last[2] == Some(Token::Word("func"));
        self.after_receiver = false;
        match token {
            Token::Mark(b'(') if is_func || self.receiver > 0 => self.receiver += 1,
            Token::Mark(b')') if self.receiver > 0 => {
                self.receiver -= 1;
                self.after_receiver = self.receiver == 0 && self.braces == 0;
            }
            Token::Mark(b'{') => self.braces += 1,
            Token::Mark(b'}') => self.braces = self.braces.saturating_sub(1),
            Token::Word(_) | Token::Text(_) | Token::Mark(_) => {}
        }
        self.last = [self.last[1], self.last[2], Some(token)];
    }

    /// Returns true if the next name is that of a method: it is declared with a receiver, or
    /// selected from `a.b`, which is no package.
    fn is_method(&self) -> bool {
        let [first, second, third] = self.last;
        let dot = Some(Token::Mark(b'.'));
        self.after_receiver
            || first == dot && matches!(second, Some(Token::Word(_))) && third == dot
    }
}

/// Returns the line of a part of a text, from 1.
fn line(text: &str, part: &str) -> u32 {
    let offset = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let lines = memchr::memchr_iter(b'\n', before).count();
    u32::try_from(lines).map_or(u32::MAX, |lines| lines.saturating_add(1))
}

/// Returns true if the file is in one of NRI's own packages, in a folder that is called so.
fn is_copy_of_nri(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_nri = |name: &str| name.split(['-', '_', '.', '@']).any(|word| word == "nri");
    OF_NRI.iter().any(|package| {
        let rest = folder.strip_suffix(package);
        rest.is_some_and(|module| module.split('/').any(is_nri))
    })
}

#[cfg(test)]
mod tests {
    use super::{NAMES, REGISTERS, used};

    #[test]
    fn code_counts_and_comments_do_not() {
        let found = |text: &str| used("cmd/main.go", text);
        let register = found("package main\nfunc init() { api.RegisterPluginService(s, p) }");
        assert_eq!(register, Some((REGISTERS, 2)));
        let name = found("package main\n\nconst service = `nri.pkg.api.v1alpha1.Plugin`");
        assert_eq!(name, Some((NAMES, 3)));
        assert_eq!(
            found("package main // nri.pkg.api, RegisterPluginService"),
            None
        );
        for before in ["g()", "var g func(int)"] {
            let bare = format!("package a\nfunc f() {{ {before}\nRegisterPluginService(s, p) }}");
            assert_eq!(found(&bare), Some((REGISTERS, 3)));
        }
        assert_eq!(
            found("package a\nfunc (e *engine) RegisterPluginService(p any) {}"),
            None
        );
        assert_eq!(
            found("package a\nfunc f() { x.engine.RegisterPluginService(p) }"),
            None
        );
        assert_eq!(
            found("package api\nfunc RegisterPluginService() {}\nvar x = \"nri.pkg.api\""),
            None
        );
    }

    #[test]
    fn copies_of_nri_are_no_plugins() {
        let text = "package stub\nvar _ = api.RegisterPluginService";
        assert_eq!(
            used("vendor/corp.example/nri-fork/pkg/stub/stub.go", text),
            None
        );
        assert!(used("vendor/corp.example/fork/pkg/stub/stub.go", text).is_some());
    }
}

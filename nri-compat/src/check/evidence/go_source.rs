//! Go files that import a package of NRI: which part they play, and which handler methods they define.
//!
//! One file is rarely a whole plugin: what is seen in the files of one folder is put together afterwards, and their
//! `go.mod` says which NRI it is (see [`crate::check::packages`]).

mod handlers;
mod lexer;

use std::collections::BTreeMap;

use super::nri_module::{self, Package};
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::check::events::EventSet;
use crate::check::sighting::{Certainty, Events, Evidence, FileKind, Interface, Role, Sighting};
use lexer::Token;

/// The largest file read; only generated files are larger.
const LARGEST: u64 = 4 << 20;

/// The most types told of one file.
const MOST: usize = 50;

const NAME: &str = "go-source";

/// Reads Go files.
pub struct GoSource;

impl Reader for GoSource {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        // Tests are no part of a plugin, and their mocks look like one.
        !file.name.ends_with("_test.go")
            && text::head(&file.head).is_some_and(lexer::starts_with_package)
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        if file.content.len() > LARGEST {
            return Ok(Vec::new());
        }
        let text = text::whole(file.content, LARGEST)?;
        if !text.contains("nri/pkg/") && !text.contains("nri/skel") {
            return Ok(Vec::new());
        }
        let tokens: Vec<Token<'_>> = lexer::tokens(&text).collect();
        let imports = imports(&tokens);
        let none = imports.is_empty();
        let handled = handlers::by_type(&tokens);
        let seen = (!none).then(|| sighting(file, &imports, &handled));
        Ok(seen.into_iter().collect())
    }
}

/// Packages of NRI that the file imports, by path.
fn imports(tokens: &[Token<'_>]) -> BTreeMap<String, Package> {
    let mut found = BTreeMap::new();
    let mut place = Place::Outside;
    for token in tokens {
        match (place, token) {
            (Place::Outside, Token::Word("import")) => place = Place::Import,
            (Place::Import, Token::Mark(b'(')) => place = Place::List,
            (Place::List, Token::Mark(b')')) => place = Place::Outside,
            (Place::Import | Place::List, Token::Text(path)) => {
                found
                    .extend(nri_module::package(path).map(|package| ((*path).to_owned(), package)));
                if place == Place::Import {
                    place = Place::Outside;
                }
            }
            // Imports come first.
            (Place::Outside, Token::Word("func" | "type" | "var" | "const")) => break,
            _ => {}
        }
    }
    found
}

/// Where a token stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Import,
    List,
}

fn sighting(
    file: &File<'_>,
    imports: &BTreeMap<String, Package>,
    handled: &BTreeMap<String, EventSet>,
) -> Sighting {
    let mut details: Vec<String> = imports
        .keys()
        .map(|path| format!("imports {path}"))
        .collect();
    details.extend(handled.iter().take(MOST).map(|(of, events)| {
        format!(
            "type {of} has handler methods {}",
            events.names().join(", ")
        )
    }));
    let events = handled
        .values()
        .fold(EventSet::default(), |all, of| all.union(*of));
    let has = |package| imports.values().any(|imported| *imported == package);
    Sighting {
        place: file.place.clone(),
        kind: FileKind::GoSource,
        role: role(has),
        interface: interface(has),
        events: Events {
            names: events.names(),
            certainty: match events.is_empty() {
                true => Certainty::Unknown,
                false => Certainty::ByName,
            },
        },
        evidence: details
            .into_iter()
            .map(|detail| Evidence {
                reader: NAME,
                detail,
            })
            .collect(),
        ..Sighting::default()
    }
}

fn role(has: impl Fn(Package) -> bool) -> Role {
    if has(Package::Stub) || has(Package::Skel) {
        Role::Plugin
    } else if has(Package::Adaptation) {
        Role::Runtime
    } else {
        Role::Library
    }
}

fn interface(has: impl Fn(Package) -> bool) -> Interface {
    if has(Package::Stub) {
        Interface::Unknown(
            "the source does not say which nri it is built with: see its go.mod".to_owned(),
        )
    } else if has(Package::Skel) {
        Interface::OneShot
    } else {
        Interface::None
    }
}

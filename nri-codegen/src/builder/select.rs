//! Paths and attributes given to the builder. A path that selects nothing, or an invalid attribute,
//! is an error.

use syn::parse::Parser as _;

use nri_schema::compile::Compiled;
use nri_schema::model::{Message, Protocol};
use nri_schema::near;
use nri_schema::{Error, ErrorKind, Problem};

/// A path, and the attribute for what it selects.
pub(super) struct Selected {
    path: String,
    attribute: String,
    fields: bool,
}

impl Selected {
    pub(super) fn types(path: &str, attribute: &str) -> Self {
        Selected { path: path.to_owned(), attribute: attribute.to_owned(), fields: false }
    }

    pub(super) fn fields(path: &str, attribute: &str) -> Self {
        Selected { fields: true, ..Selected::types(path, attribute) }
    }

    /// Matches a path like prost-build: segments from the start after a dot, otherwise segments at
    /// the end.
    fn selects(&self, full_name: &str) -> bool {
        match self.path.strip_prefix('.') {
            Some("") => true,
            Some(prefix) => full_name
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            None => full_name
                .strip_suffix(&self.path)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        }
    }
}

/// Returns problems with paths that select nothing in any of `schemas`, and with invalid
/// attributes.
///
/// # Errors
///
/// Returns an error if a schema is not valid.
pub(super) fn unmatched(
    selected: &[Selected],
    schemas: &[&Compiled],
) -> Result<Vec<Problem>, Error> {
    if selected.is_empty() {
        return Ok(Vec::new());
    }
    let mut names = Names::default();
    for compiled in schemas {
        names.add(&Protocol::read(compiled)?);
    }
    let mut problems = Vec::new();
    for entry in selected {
        let known = if entry.fields { &names.fields } else { &names.types };
        if !schemas.is_empty() && !known.iter().any(|name| entry.selects(name)) {
            problems.push(no_match(entry, known));
        }
        if syn::Attribute::parse_outer.parse_str(&entry.attribute).is_err() {
            let fact = format!("`{}` is not an attribute", entry.attribute);
            problems.push(
                Problem::new(ErrorKind::Option, fact)
                    .with_help("write it as in source: `#[derive(Eq)]`"),
            );
        }
    }
    Ok(problems)
}

#[derive(Default)]
struct Names {
    types: Vec<String>,
    fields: Vec<String>,
}

impl Names {
    fn add(&mut self, protocol: &Protocol) {
        protocol.messages.iter().for_each(|message| self.add_message(message));
        self.types.extend(protocol.enums.iter().map(|found| found.full_name.clone()));
    }

    fn add_message(&mut self, message: &Message) {
        self.types.push(message.full_name.clone());
        self.types
            .extend(message.oneofs.iter().map(|oneof| format!("{}.{oneof}", message.full_name)));
        self.types.extend(message.enums.iter().map(|found| found.full_name.clone()));
        self.fields.extend(message.fields.iter().map(|field| field.full_name.clone()));
        message.messages.iter().for_each(|nested| self.add_message(nested));
    }
}

fn no_match(selected: &Selected, known: &[String]) -> Problem {
    let what = if selected.fields { "field" } else { "type" };
    let wanted = selected.path.rsplit('.').next().unwrap_or_default();
    let last = |name: &'_ str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let mut names: Vec<String> = known.iter().map(|name| last(name)).collect();
    names.sort();
    names.dedup();
    let near = near::names(wanted, names.iter().map(String::as_str));
    Problem::new(ErrorKind::Option, format!("path `{}` selects no {what}", selected.path))
        .with_help(near::help(&near, "`.` selects all"))
}

pub(super) fn bad_path(option: &str, path: &str) -> Problem {
    Problem::new(ErrorKind::Option, format!("{option}: `{path}` is not a path"))
        .with_help("write it as in source: `::prost`, `crate::rpc`")
}

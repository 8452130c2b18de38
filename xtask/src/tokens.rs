//! Tokens of generated code.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::doc_comments;

/// Returns the source of a module, formatted.
pub(crate) fn formatted(module: &TokenStream) -> String {
    match syn::parse2(module.clone()) {
        Ok(file) => doc_comments::wrapped(&prettyplease::unparse(&file)),
        Err(_) => module.to_string(),
    }
}

/// Puts each row of a table on one line: the lines from one that starts with one of these texts to
/// the end of its brackets.
pub(crate) fn in_rows(source: &str, starts: &[&str]) -> String {
    let (mut text, mut row) = (String::new(), String::new());
    for line in source.lines() {
        let content = line.trim_start();
        if row.is_empty() {
            row.push_str(line);
        } else {
            join(&mut row, content);
        }
        let is_row = starts.iter().any(|start| row.trim_start().starts_with(start));
        let is_open = row.matches(['(', '[', '{']).count() > row.matches([')', ']', '}']).count();
        if !is_row || !is_open {
            text = text + &std::mem::take(&mut row) + "\n";
        }
    }
    text + &row
}

/// Adds the next line of a row, without the comma before a bracket that closes.
fn join(row: &mut String, line: &str) {
    if line.starts_with(['}', ')', ']']) && row.ends_with(',') {
        row.pop();
    }
    if !row.ends_with(['(', '[']) && !line.starts_with([')', ']']) {
        row.push(' ');
    }
    row.push_str(line);
}

/// Returns the tokens `Some(…)` or `None`.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

/// Returns the source text of an expression or a type on one line.
pub(crate) fn source(tokens: &TokenStream) -> String {
    let text = tokens.to_string().replace(' ', "");
    text.replace(',', ", ").replace("|()|", "|()| ")
}

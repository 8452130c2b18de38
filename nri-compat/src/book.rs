//! The addresses of pages of the book.

use crate::rules;

/// The address of the page about verdicts, which has a heading for each.
pub(crate) const VERDICTS: &str =
    concat!(env!("CARGO_PKG_HOMEPAGE"), "/book/reference/verdicts.html");

/// Returns the address of the page about a rule or a statement, which stays the same.
pub(crate) fn page(id: &str) -> String {
    let folder = if rules::get(id).is_some() { "rules" } else { "statements" };
    let home = env!("CARGO_PKG_HOMEPAGE");
    format!("{home}/book/reference/{folder}/{id}.html")
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn rules_and_statements_have_pages() {
        assert!(page("FIELD_NO_DELETE").ends_with("/book/reference/rules/FIELD_NO_DELETE.html"));
        assert!(page("P7").ends_with("/book/reference/statements/P7.html"));
    }
}

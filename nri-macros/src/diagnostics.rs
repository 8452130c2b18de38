//! Errors for the author of a plugin: the fact at the offending tokens, the help, the most similar
//! valid name.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The errors of one derive.
#[derive(Default)]
pub(crate) struct Diagnostics(Vec<syn::Error>);

impl Diagnostics {
    /// Adds an error at these tokens.
    pub(crate) fn error(
        &mut self,
        at: impl ToTokens,
        fact: impl AsRef<str>,
        help: impl AsRef<str>,
    ) {
        self.0.push(syn::Error::new_spanned(at, message(fact.as_ref(), help.as_ref())));
    }

    /// Adds an error about the syntax of attributes.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Returns true if there were no errors.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the errors in the form that the compiler reports.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.into_iter().map(syn::Error::into_compile_error).collect()
    }
}

/// Returns the text of an error.
pub(crate) fn message(fact: &str, help: &str) -> String {
    format!("{fact}\nhelp: {help}")
}

/// Returns help for an unknown name: the most similar known one, or all of them, most similar
/// first, if none is similar.
pub(crate) fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let sorted = by_similarity(wrong, known);
    match similar(wrong, &sorted) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("use one of {}", list(sorted.into_iter().map(|(_, name)| name))),
    }
}

/// Returns the most similar known name, if one is similar.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    similar(wrong, &by_similarity(wrong, known))
}

/// Returns the names in backticks, with commas.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the names with their distances, most similar first.
fn by_similarity<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Vec<(usize, &'a str)> {
    let plain_wrong = plain(wrong);
    let mut sorted: Vec<_> =
        known.into_iter().map(|name| (distance(&plain_wrong, &plain(name)), name)).collect();
    sorted.sort_by_key(|(distance, _)| *distance);
    sorted
}

/// Returns the first of these names if it is similar.
fn similar<'a>(wrong: &str, known: &[(usize, &'a str)]) -> Option<&'a str> {
    let (distance, nearest) = *known.first()?;
    let is_similar = 2 * distance <= nearest.len() || plain(nearest).starts_with(&plain(wrong));
    is_similar.then_some(nearest)
}

/// Normalizes a name, so that `RunPodSandbox`, `run_pod_sandbox` and `RUN_POD_SANDBOX` are similar.
fn plain(name: &str) -> Vec<u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Returns the number of insertions, deletions, replacements and swaps of adjacent bytes (optimal
/// string alignment).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let edited = (row[j] + usize::from(a[i] != b[j])).min(row[j + 1] + 1).min(next[j] + 1);
            let is_swap = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            next.push(if is_swap { edited.min(before[j - 1] + 1) } else { edited });
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"same", b"same"), 0);
        assert_eq!(distance(b"nmae", b"name"), 1);
        assert_eq!(distance(b"abcd", b"badc"), 2);
    }

    #[test]
    fn another_spelling_of_a_name_is_nearest() {
        assert_eq!(
            suggest("RunPodSandbox", ["STOP_POD_SANDBOX", "RUN_POD_SANDBOX"]),
            "did you mean `RUN_POD_SANDBOX`?"
        );
    }

    #[test]
    fn what_resembles_nothing_gets_the_whole_list() {
        assert_eq!(suggest("zebra", ["name", "index"]), "use one of `name`, `index`");
    }
}

//! Errors for the author of a plugin: the fact on the tokens at fault, the way out apart, the nearest right name.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Everything found wrong with one derive.
#[derive(Default)]
pub(crate) struct Diagnostics(Vec<syn::Error>);

impl Diagnostics {
    /// Notes an error on these tokens.
    pub(crate) fn error(
        &mut self,
        at: impl ToTokens,
        fact: impl AsRef<str>,
        help: impl AsRef<str>,
    ) {
        self.0.push(syn::Error::new_spanned(
            at,
            message(fact.as_ref(), help.as_ref()),
        ));
    }

    /// Notes that attributes are not even well formed.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Whether nothing was wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors, as the compiler is to report them.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0
            .into_iter()
            .map(syn::Error::into_compile_error)
            .collect()
    }
}

/// The text of an error.
pub(crate) fn message(fact: &str, help: &str) -> String {
    format!("{fact}\nhelp: {help}")
}

/// The way out for a name that is not known: the nearest one that is, or all of them where none is near.
pub(crate) fn suggest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let nearest = known
        .iter()
        .map(|name| (distance(&plain(wrong), &plain(name)), name))
        .min();
    match nearest {
        Some((distance, name)) if 3 * distance <= name.len().max(3) => {
            format!("did you mean `{name}`?")
        }
        _ => format!("use one of {}", list(&known)),
    }
}

/// Names, each in backticks.
pub(crate) fn list(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// So that `RunPodSandbox`, `run_pod_sandbox` and `RUN_POD_SANDBOX` are next to each other.
fn plain(name: &str) -> Vec<u8> {
    name.bytes()
        .filter(|byte| *byte != b'_')
        .map(|byte| byte.to_ascii_lowercase())
        .collect()
}

/// How many bytes have to be put in, taken out or replaced (Levenshtein).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
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
        assert_eq!(
            suggest("zebra", ["name", "index"]),
            "use one of `name`, `index`"
        );
    }
}

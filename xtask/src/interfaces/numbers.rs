//! The page with the number of public items of each crate.

use std::fmt::Write as _;

/// The crates or modules that CONTRIBUTING.md does not promise.
const NOT_PROMISED: [&str; 4] = ["nri::wire", "nri_bridge", "nri_compat", "nri_schema"];

/// Returns the page for these interfaces, each with the name of its crate.
pub(super) fn page(interfaces: &[(String, String)]) -> String {
    let mut page = "<!-- Written by `cargo run -p xtask -- api`. -->
# Public interfaces

Each file lists the items of a crate that its documentation shows. Of `nri-bridge`, `nri-compat` and `nri-schema`, whose
libraries are not promised, and of `nri::wire`, no item counts as promised; see CONTRIBUTING.md.

| crate | public items | promised |
| --- | --- | --- |
"
    .to_owned();
    for (name, interface) in interfaces {
        let prefix = name.replace('-', "_");
        let items = interface.lines().filter(|line| !line.starts_with("impl"));
        let paths: Vec<&str> = items.map(|line| path(line, &prefix)).collect();
        let promised = paths.iter().filter(|path| is_promised(path)).count();
        let _ = writeln!(page, "| [{name}]({name}.txt) | {} | {promised} |", paths.len());
    }
    page
}

/// Returns the path of an item: the first one of its crate, because a method that a crate adds to
/// another type begins with that type.
fn path<'l>(line: &'l str, prefix: &'l str) -> &'l str {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .find(|word| word.split("::").next() == Some(prefix))
        .unwrap_or(prefix)
}

fn is_promised(path: &str) -> bool {
    let is_below = |module: &&str| {
        path.strip_prefix(*module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    !NOT_PROMISED.iter().any(is_below)
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn items_and_promised_items_are_counted() {
        let interface = "pub mod nri
pub mod nri::wire
pub fn nri::wire::Status::is_ok(&self, nri::Error) -> bool
impl nri::wire::Service for nri::Error
pub fn nri::Error::status(&self) -> nri::wire::Status
pub fn i32::from(nri::api::Event) -> Self
";
        let page = page(&[("nri".to_owned(), interface.to_owned())]);
        assert!(page.ends_with("| [nri](nri.txt) | 5 | 3 |\n"), "{page}");
    }
}

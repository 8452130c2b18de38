//! Bills of materials: CycloneDX and SPDX in any notation, and the JSON of syft and trivy.

use super::cargo_lock;
use crate::check::material_words::MATERIAL_WORDS;
use crate::facts::MODULE;

/// The group and name that stand for the module, as JSON and XML without white space.
const GROUPED: [&str; 3] = [
    "\"group\":\"github.com/containerd\",\"name\":\"nri\"",
    "\"name\":\"nri\",\"group\":\"github.com/containerd\"",
    "<group>github.com/containerd</group><name>nri</name>",
];

/// The bytes that some editors write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The ends of names of bills of materials that may begin with a comment.
const COMMENTED: [&str; 3] = [".spdx", ".yaml", ".yml"];

/// The beginning of the package URL of a crate.
const CRATE: &str = "pkg:cargo/";

/// The maximum number of versions in a reason.
const MAX_VERSIONS: usize = 8;

/// Returns true if a bill of materials may begin with these bytes: JSON, XML, or the tags of SPDX,
/// in YAML after a mark or comments.
pub(super) fn may_begin(head: &[u8], name: &str) -> bool {
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let text = text.trim_ascii_start();
    match text.first() {
        Some(b'{' | b'[' | b'<') => true,
        Some(b'#' | b'-') => COMMENTED.iter().any(|ending| name.ends_with(ending)),
        Some(_) | None => text
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"spdx")),
    }
}

/// Returns the format of a bill of materials with this beginning.
pub(super) fn format(head: &str) -> Option<&'static str> {
    let mut words = MATERIAL_WORDS.iter();
    let found = words.find(|(word, _)| head.contains(word));
    found.map(|(_, format)| *format)
}

/// Describes what a bill of materials lists of NRI.
pub(super) fn listed(text: &str, format: &str) -> Option<String> {
    // JSON may escape slashes, and package URLs any of them.
    let text = text.to_ascii_lowercase();
    let text = text.replace("\\/", "/").replace("%2f", "/");
    let (name, versions) = module(&text)
        .or_else(|| grouped(&text))
        .or_else(|| crate_for_nri(&text))?;
    let versions = match versions.as_slice() {
        [] => String::new(),
        versions => format!(" {}", versions.join(", ")),
    };
    Some(format!(
        "{format} bill of materials lists {name}{versions}, which does not show how it is used: \
         check the program that it describes"
    ))
}

/// Finds the Go module, with its versions.
fn module(text: &str) -> Option<(String, Vec<String>)> {
    let after: Vec<&str> = text
        .split(MODULE)
        .skip(1)
        .filter(|rest| ends_name(rest))
        .collect();
    if after.is_empty() {
        return None;
    }
    let mut versions = Vec::new();
    for rest in after {
        let version = rest.strip_prefix('@').map(until_end).map(str::to_owned);
        versions.extend(version.filter(|version| !versions.contains(version)));
    }
    versions.truncate(MAX_VERSIONS);
    Some((MODULE.to_owned(), versions))
}

fn grouped(text: &str) -> Option<(String, Vec<String>)> {
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let mut names = GROUPED.iter();
    let any = names.any(|name| text.contains(name));
    any.then(|| (MODULE.to_owned(), Vec::new()))
}

/// Finds a crate for NRI, with its version.
fn crate_for_nri(text: &str) -> Option<(String, Vec<String>)> {
    let mut crates = text.split(CRATE).skip(1);
    crates.find_map(|rest| {
        let (name, version) = until_end(rest)
            .split_once('@')
            .unwrap_or((until_end(rest), ""));
        let versions = Some(version).filter(|version| !version.is_empty());
        cargo_lock::is_for_nri(name).then(|| {
            (
                format!("crate {name}"),
                versions.into_iter().map(str::to_owned).collect(),
            )
        })
    })
}

/// Returns true if the name of the module ends here: another name may begin like it.
fn ends_name(rest: &str) -> bool {
    let continues =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !rest.starts_with(continues)
}

/// Returns the part of a package URL before its qualifiers.
fn until_end(text: &str) -> &str {
    let ends = |letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | '?' | '#' | '&' | '<')
    };
    text.split(ends).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_module_is_found() {
        for (text, found) in [
            (
                r#""purl":"pkg:golang/github.com\/containerd\/nri@v0.11.0?type=module""#,
                "nri v0.11.0,",
            ),
            (
                r#""purl":"pkg:golang/github.com%2Fcontainerd%2Fnri@v0.6.1#pkg/stub""#,
                "nri v0.6.1,",
            ),
            (
                r#""purl":"pkg:golang/GitHub.com/Containerd/NRI@v0.6.1""#,
                "nri v0.6.1,",
            ),
            (
                r#""a":"github.com/containerd/nri@v0.6.1","b":"github.com/containerd/nri@v0.11.0""#,
                "nri v0.6.1, v0.11.0,",
            ),
            (r#""name":"github.com/containerd/nri""#, "nri,"),
            (
                "PackageName: github.com/containerd/nri\nPackageVersion: v0.6.1",
                "nri,",
            ),
            ("<name>github.com/containerd/nri</name>", "nri,"),
            (
                r#""group" : "github.com/containerd", "name" : "nri""#,
                "nri,",
            ),
            (
                "<group>github.com/containerd</group>\n  <name>nri</name>",
                "nri,",
            ),
            (r#""purl":"pkg:cargo/nri@0.1.0""#, "crate nri 0.1.0,"),
        ] {
            let listed = listed(text, "a").expect(text);
            assert!(listed.contains(found), "{listed}");
        }
    }

    #[test]
    fn other_modules_are_not_nri() {
        for text in [
            r#""name":"github.com/containerd/nri-other""#,
            r#""purl":"pkg:golang/github.com/containerd/nristats@v1""#,
            r#""purl":"pkg:cargo/serde@1""#,
            r#""group":"x","name":"nri""#,
        ] {
            assert_eq!(listed(text, "a"), None, "{text}");
        }
    }
}

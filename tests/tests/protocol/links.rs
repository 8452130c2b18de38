//! The relative links of all Markdown files: each leads to a file or folder, and each anchor to a
//! heading.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders without documentation of the project.
const SKIPPED: [&str; 3] = ["target", "node_modules", "vendor"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    let mut files = Vec::new();
    collect(&repository(), &mut files);
    assert!(files.len() >= 10, "found only {files:?}");
    let broken: Vec<String> = files.iter().flat_map(|file| broken_links(file)).collect();
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// Adds the Markdown files in a folder and its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                collect(&path, files);
            }
        } else if name.ends_with(".md") {
            files.push(path);
        }
    }
}

/// The address of the project in the book, and that of a file of the repository below it.
const ADDRESS: &str = "{{address}}/";
const FILE: &str = "{{address}}/blob/main/";

/// Pages that exist only in a built book, whose links `.ci/book.sh` follows.
const GENERATED: [&str; 2] = ["rules/index.md", "statements/index.md"];

/// Returns a description of each broken link in a file.
fn broken_links(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("readable Markdown");
    links(&text)
        .into_iter()
        .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        .filter(|link| !leads_somewhere(file, link))
        .map(|link| format!("{}: {link}", file.display()))
        .collect()
}

/// Returns the targets of inline links, outside of code.
fn links(text: &str) -> Vec<String> {
    let prose = without_code(text);
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.trim().to_owned())
        .collect()
}

/// Removes fenced and indented code blocks and code spans.
fn without_code(text: &str) -> String {
    let mut prose = String::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && !line.starts_with("    ") {
            for (number, part) in line.split('`').enumerate() {
                prose.push_str(if number % 2 == 0 { part } else { "code" });
            }
            prose.push('\n');
        }
    }
    prose
}

fn leads_somewhere(file: &Path, link: &str) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if path.is_empty() {
        file.to_owned()
    } else if let Some(path) = path.strip_prefix(FILE) {
        repository().join(path)
    } else if path.starts_with(ADDRESS) || GENERATED.iter().any(|page| path.ends_with(page)) {
        return true;
    } else {
        file.with_file_name(path)
    };
    if anchor.is_empty() {
        return target.exists();
    }
    std::fs::read_to_string(target).is_ok_and(|text| anchors(&text).contains(anchor))
}

/// Returns the anchors that GitHub gives to the headings of a file.
fn anchors(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| slug(line.trim_start_matches('#').trim()))
        .collect()
}

fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

#[test]
fn a_broken_link_is_found() {
    let file = repository().join("README.md");
    assert!(leads_somewhere(&file, "nri/README.md#webassembly"));
    assert!(!leads_somewhere(&file, "nri/README.md#nothing"));
    assert!(!leads_somewhere(&file, "nothing.md"));
    assert_eq!(links("[a](b.md) `[c](d.md)`\n```\n[e](f.md)\n```\n"), ["b.md"]);
}

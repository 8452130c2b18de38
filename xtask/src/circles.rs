//! Finds folders and files of a crate that import each other in a circle.
//!
//! A path such as `crate::Error` counts as an import of the module that defines the item, wherever
//! it is written: re-exports are followed. Tests may import anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::error::{TaskError, reading};

/// A circle: modules below one module of a crate, such as `nri: adjust, api`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Circle {
    /// The crate, followed by the modules down to the one whose children import each other.
    pub parent: Vec<String>,
    /// The children.
    pub modules: BTreeSet<String>,
}

impl std::fmt::Display for Circle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let modules: Vec<_> = self.modules.iter().map(String::as_str).collect();
        write!(f, "{}: {}", self.parent.join("::"), modules.join(", "))
    }
}

/// Returns the circles of every crate of the workspace at `root`.
///
/// # Errors
///
/// Returns an error if a file cannot be read or is not Rust.
pub fn find(root: &Path) -> Result<Vec<Circle>, TaskError> {
    let mut circles = Vec::new();
    for folder in sorted(root)? {
        let source = folder.join("src");
        let file = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let Some(file) = file.iter().find(|file| file.exists()) else {
            continue;
        };
        let name = name_of(&folder);
        let mut tree = Tree::default();
        tree.read(&source, file, Vec::new())?;
        circles.extend(tree.circles(&name));
    }
    Ok(circles)
}

/// The modules of a crate.
#[derive(Default)]
struct Tree(BTreeMap<Vec<String>, Module>);

/// The paths in a module, each from the root of the crate.
#[derive(Default)]
struct Module {
    paths: Vec<Vec<String>>,
    /// The path that a `use` declaration gives to a name.
    names: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

impl Tree {
    /// Reads a module from its file, and its children from its folder.
    fn read(&mut self, folder: &Path, file: &Path, path: Vec<String>) -> Result<(), TaskError> {
        let mut module = Module::default();
        if file.exists() {
            let text = fs::read_to_string(file).map_err(reading(file))?;
            let tokens: TokenStream = text.parse().map_err(|error| unreadable(file, &error))?;
            module.scan(tokens, &path);
        }
        self.0.insert(path.clone(), module);
        let entries = if folder.is_dir() { sorted(folder)? } else { Vec::new() };
        for entry in entries {
            let name = name_of(&entry);
            let is_root = path.is_empty() && ["lib", "main"].contains(&&*name);
            let is_module = entry.is_dir() || entry.extension().is_some_and(|it| it == "rs");
            let child: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            let is_excluded = is_root || ["tests", "mod", "bin"].contains(&&*name);
            if is_module && !is_excluded && !self.0.contains_key(&child) {
                let source = folder.join(format!("{name}.rs"));
                self.read(&folder.join(name), &source, child)?;
            }
        }
        Ok(())
    }

    fn circles(&self, name: &str) -> Vec<Circle> {
        let mut edges: BTreeMap<Vec<String>, BTreeSet<(String, String)>> = BTreeMap::new();
        for (from, module) in &self.0 {
            for path in &module.paths {
                let to = self.resolve(path);
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                    let siblings = edges.entry(from[..common].to_vec()).or_default();
                    siblings.insert((a.clone(), b.clone()));
                }
            }
        }
        let circles = edges.into_iter().flat_map(|(parent, edges)| {
            let parent: Vec<_> = [name.to_owned()].into_iter().chain(parent).collect();
            components(&edges)
                .into_iter()
                .map(move |modules| Circle { parent: parent.clone(), modules })
        });
        circles.collect()
    }

    /// Returns the module that defines what a path from the root stands for.
    fn resolve(&self, path: &[String]) -> Vec<String> {
        let mut at = Vec::new();
        let mut rest = path.to_vec();
        // Each step goes down or follows a re-export; a circle of re-exports ends as well.
        for _ in 0..32 {
            let (Some(first), Some(module)) = (rest.first(), self.0.get(&at)) else {
                break;
            };
            let child: Vec<String> = at.iter().chain([first]).cloned().collect();
            if self.0.contains_key(&child) {
                at = child;
                rest.remove(0);
            } else if let Some(target) = module.names.get(first) {
                let target = [target, &rest[1..]].concat();
                (at, rest) = (Vec::new(), target);
            } else {
                let mut defining = module.globs.iter().filter(|glob| glob.starts_with(&at));
                match defining.next_back() {
                    Some(glob) if self.0.contains_key(glob) => return glob.clone(),
                    _ => break,
                }
            }
        }
        at
    }
}

impl Module {
    fn scan(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(word) if word == "mod" && is_tests(&tokens[at..]) => at += 3,
                TokenTree::Ident(word) if word == "mod" => at += self.inline(&tokens[at..], module),
                TokenTree::Ident(word) if word == "use" => {
                    self.declare(&tokens[at + 1..], Vec::new(), module);
                    at += 1;
                }
                TokenTree::Ident(word) if ["crate", "super"].contains(&&*word.to_string()) => {
                    at += self.path(&tokens[at..], module);
                }
                TokenTree::Group(group) => {
                    self.scan(group.stream(), module);
                    at += 1;
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
        }
    }

    /// Takes a module within this one, `mod name { … }`, or its declaration. Returns the number of
    /// its tokens.
    fn inline(&mut self, tokens: &[TokenTree], module: &[String]) -> usize {
        let [_, TokenTree::Ident(name), TokenTree::Group(group), ..] = tokens else {
            return 1;
        };
        let mut within = Module::default();
        let path: Vec<String> = module.iter().cloned().chain([name.to_string()]).collect();
        within.scan(group.stream(), &path);
        self.paths.append(&mut within.paths);
        3
    }

    /// Takes a path that starts with `crate` or `super`. Returns the number of its tokens, without
    /// those of a group.
    fn path(&mut self, tokens: &[TokenTree], module: &[String]) -> usize {
        let (segments, length) = segments(tokens);
        let path = absolute(&segments, module);
        if let Some(path) = path {
            match tokens.get(length) {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.paths.extend(leaves(&path, group.stream()));
                }
                _ => self.paths.push(path),
            }
        }
        length.max(1)
    }

    /// Notes the names that a `use` declaration brings in.
    fn declare(&mut self, tokens: &[TokenTree], prefix: Vec<String>, module: &[String]) {
        let (segments, length) = segments(tokens);
        let path: Vec<String> = prefix.into_iter().chain(segments).collect();
        match tokens.get(length) {
            Some(TokenTree::Group(group)) => {
                let stream: Vec<TokenTree> = group.stream().into_iter().collect();
                let entries = stream.split(
                    |token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','),
                );
                for entry in entries {
                    self.declare(entry, path.clone(), module);
                }
            }
            Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => {
                self.globs.extend(located(&path, module));
            }
            Some(TokenTree::Ident(word)) if word == "as" => {
                if let Some(TokenTree::Ident(name)) = tokens.get(length + 1) {
                    self.name(name.to_string(), &path, module);
                }
            }
            _ => {
                let name = path.last().filter(|last| *last != "self").cloned();
                if let Some(name) = name {
                    self.name(name, &path, module);
                }
            }
        }
    }

    fn name(&mut self, name: String, path: &[String], module: &[String]) {
        if let Some(path) = located(path, module) {
            self.names.insert(name, path);
        }
    }
}

/// Returns true at the start of `mod tests { … }`.
fn is_tests(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [_, TokenTree::Ident(name), TokenTree::Group(_), ..] if name == "tests")
}

/// Returns the identifiers of a path, and the number of tokens up to its last `::` or its end.
fn segments(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let is_colon =
        |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    let (mut segments, mut at) = (Vec::new(), 0);
    while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
        segments.push(ident.to_string());
        at += 1;
        if !(is_colon(at) && is_colon(at + 1)) {
            break;
        }
        at += 2;
    }
    (segments, at)
}

/// Returns each path of a use tree.
fn leaves(prefix: &[String], tree: TokenStream) -> Vec<Vec<String>> {
    let tokens: Vec<TokenTree> = tree.into_iter().collect();
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let mut paths = Vec::new();
    for entry in tokens.split(is_comma) {
        let (segments, length) = segments(entry);
        let below = segments.into_iter().filter(|segment| segment != "self");
        let path: Vec<String> = prefix.iter().cloned().chain(below).collect();
        match entry.get(length) {
            Some(TokenTree::Group(group)) => paths.extend(leaves(&path, group.stream())),
            _ => paths.push(path),
        }
    }
    paths
}

/// Returns a path from the root, or `None` for one of another crate.
fn absolute(segments: &[String], module: &[String]) -> Option<Vec<String>> {
    let (first, rest) = segments.split_first()?;
    match &**first {
        "crate" => Some(rest.to_vec()),
        "self" => Some([module, rest].concat()),
        "super" => {
            let ups = segments.iter().take_while(|it| *it == "super").count();
            let base = module.len().checked_sub(ups)?;
            Some([&module[..base], &segments[ups..]].concat())
        }
        _ => None,
    }
}

/// Returns the path from the root that a `use` declaration names. A path without `crate`, `self` or
/// `super` may be one of a child module.
fn located(path: &[String], module: &[String]) -> Option<Vec<String>> {
    absolute(path, module).or_else(|| Some([module, path].concat()))
}

/// Returns the groups of nodes that reach each other.
fn components(edges: &BTreeSet<(String, String)>) -> Vec<BTreeSet<String>> {
    let nodes: BTreeSet<&String> = edges.iter().flat_map(|(a, b)| [a, b]).collect();
    let reached: BTreeMap<&String, BTreeSet<String>> =
        nodes.iter().map(|node| (*node, reachable(node, edges))).collect();
    let mutual = |a: &String| -> BTreeSet<String> {
        let both = reached[a].iter().filter(|b| reached[*b].contains(a));
        both.cloned().collect()
    };
    let groups: BTreeSet<BTreeSet<String>> = nodes.iter().map(|node| mutual(node)).collect();
    groups.into_iter().filter(|group| group.len() > 1).collect()
}

/// Returns the nodes that one node reaches.
fn reachable(from: &str, edges: &BTreeSet<(String, String)>) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(node) = open.pop() {
        let next = edges.iter().filter(|(a, _)| *a == node).map(|(_, b)| b);
        let new: Vec<String> = next.filter(|b| !reached.contains(*b)).cloned().collect();
        reached.extend(new.iter().cloned());
        open.extend(new);
    }
    reached
}

fn unreadable(path: &Path, error: &proc_macro2::LexError) -> TaskError {
    TaskError::Source { path: path.to_path_buf(), reason: error.to_string() }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let entries = fs::read_dir(folder).map_err(reading(folder))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(reading(folder))?;
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_modules_import_each_other() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let found: Vec<String> = find(&root).unwrap().iter().map(Circle::to_string).collect();
        assert_eq!(found, [""; 0]);
    }

    fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join("one/src").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = find(root.path()).unwrap();
        found.iter().map(Circle::to_string).collect()
    }

    #[test]
    fn a_re_export_hides_no_circle() {
        let lib = ("lib.rs", "mod a; mod b; pub use b::{Inner as Thing};");
        let a = ("a.rs", "use crate::Thing;");
        assert_eq!(circles_of(&[lib, a, ("b.rs", "")]), [""; 0]);
        let b = ("b.rs", "fn f() { super::a::go() }");
        assert_eq!(circles_of(&[lib, a, b]), ["one: a, b"]);
        let tests = ("b.rs", "mod tests { use crate::a::go; }");
        assert_eq!(circles_of(&[lib, a, tests]), [""; 0]);
    }

    #[test]
    fn circles_within_a_folder_are_found() {
        let lib = ("lib.rs", "pub mod a;");
        let a = ("a.rs", "mod x; mod y; pub(crate) use x::*;");
        let x = ("a/x.rs", "use super::y::Y; pub(crate) struct X;");
        let y = ("a/y.rs", "use crate::a::{X}; pub(crate) struct Y;");
        assert_eq!(circles_of(&[lib, a, x, y]), ["one::a: x, y"]);
    }
}

//! The files of the compiler, from memory or from folders on disk, within limits.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File as DiskFile;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use protox::file::{File, FileResolver, GoogleFileResolver};

use crate::error::{Error, ErrorKind, Problem};

/// The maximum size of a proto in bytes, each of which may take some 500 in memory. NRI's own has
/// under 64 KiB, Kubernetes' longest 270 KiB.
pub(crate) const MAX_FILE: usize = 1 << 20;
/// The maximum size of all files of one schema, or of all protos in a folder of tables, in bytes.
pub(crate) const MAX_TOTAL: usize = 16 << 20;
/// The maximum size of a descriptor set in bytes. What it takes in memory has a limit of its own.
pub(crate) const MAX_SET: usize = 64 << 20;
/// The maximum size of a table in bytes.
pub(crate) const MAX_TABLE: usize = 4 << 20;
/// The maximum number of entries of a folder tree.
const MAX_ENTRIES: usize = 100_000;
/// The maximum depth of a folder tree.
const MAX_DEPTH: usize = 64;

/// A folder in which imports are looked up.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    /// The prefix of names below the folder, with a final `/`; may be empty.
    pub(super) prefix: String,
    pub(super) folder: PathBuf,
}

impl Root {
    pub(super) fn at(folder: PathBuf) -> Self {
        Root { prefix: String::new(), folder }
    }

    fn path_of(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.join(name.strip_prefix(self.prefix.as_str())?))
    }
}

/// Opens files by the name under which they are imported.
pub(super) struct Files {
    memory: Option<(String, String)>,
    roots: Vec<Root>,
    google: GoogleFileResolver,
    log: Log,
}

/// A record of the files that the resolver opened. It is shared, because protox takes ownership of
/// the resolver.
#[derive(Clone, Default)]
pub(super) struct Log(Rc<RefCell<OpenedFiles>>);

#[derive(Default)]
struct OpenedFiles {
    texts: BTreeMap<String, Rc<str>>,
    paths: BTreeMap<String, PathBuf>,
    total: usize,
    problems: Vec<Problem>,
    /// The way to add a folder for imports.
    option: &'static str,
}

impl Files {
    pub(super) fn in_memory(name: &str, text: &str) -> Self {
        Files {
            memory: Some((name.to_owned(), text.to_owned())),
            roots: Vec::new(),
            google: GoogleFileResolver::new(),
            log: Log::default(),
        }
    }

    /// Looks a name up in each of `roots`, in order. `option` is the way to add another one.
    pub(super) fn on_disk(roots: Vec<Root>, option: &'static str) -> Self {
        let log = Log::default();
        log.0.borrow_mut().option = option;
        Files { memory: None, roots, google: GoogleFileResolver::new(), log }
    }

    pub(super) fn log(&self) -> Log {
        self.log.clone()
    }

    fn parse(&self, name: &str, text: &str) -> Result<File, protox::Error> {
        self.log.keep(name, text);
        File::from_source(name, text)
    }

    /// Returns the path of a file, or why the only path with this name cannot be read.
    fn find(&self, name: &str) -> Result<Option<PathBuf>, Problem> {
        let candidates = || self.roots.iter().filter_map(|root| root.path_of(name));
        if let Some(path) = candidates().find(|path| path.is_file()) {
            return Ok(Some(path));
        }
        let mut unusable = candidates().filter(|path| path.symlink_metadata().is_ok());
        unusable.next().map_or(Ok(None), |path| Err(no_file(&path)))
    }
}

impl FileResolver for Files {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if let Some((known, text)) = &self.memory
            && known == name
        {
            return self.parse(name, text);
        }
        let text = match self.find(name) {
            Ok(None) => return self.google.open_file(name),
            Ok(Some(path)) => self.log.read(name, &path),
            Err(problem) => Err(problem),
        };
        match text {
            Ok(text) => self.parse(name, &text),
            Err(problem) => Err(self.log.refuse(problem)),
        }
    }
}

impl Log {
    /// Returns the text of the file that is imported as `name`.
    pub(super) fn text(&self, name: &str) -> Option<Rc<str>> {
        self.0.borrow().texts.get(name).cloned()
    }

    /// Returns the way to add a folder for imports.
    pub(super) fn option(&self) -> &'static str {
        self.0.borrow().option
    }

    /// Problems of the resolver itself, which protox would only return as text.
    pub(super) fn take_problems(&self) -> Vec<Problem> {
        std::mem::take(&mut self.0.borrow_mut().problems)
    }

    /// Returns the display name of the file that is imported as `name`: its path, if it has one.
    pub(super) fn shown(&self, name: &str) -> String {
        let seen = self.0.borrow();
        let path = seen.paths.get(name);
        path.map_or_else(|| name.to_owned(), |path| path.display().to_string())
    }

    /// Returns the path of each file read from disk, by the name under which it is imported.
    pub(super) fn paths(&self) -> BTreeMap<String, PathBuf> {
        self.0.borrow().paths.clone()
    }

    /// Returns paths of the files read from disk.
    pub(super) fn read_from_disk(&self) -> Vec<PathBuf> {
        self.0.borrow().paths.values().cloned().collect()
    }

    /// Returns the texts of all files, by the name under which they are imported.
    pub(super) fn take_texts(&self) -> BTreeMap<String, String> {
        let texts = std::mem::take(&mut self.0.borrow_mut().texts);
        texts.into_iter().map(|(name, text)| (name, text.to_string())).collect()
    }

    fn keep(&self, name: &str, text: &str) {
        self.0.borrow_mut().texts.insert(name.to_owned(), text.into());
    }

    fn refuse(&self, problem: Problem) -> protox::Error {
        let words = protox::Error::new(problem.to_string());
        self.0.borrow_mut().problems.push(problem);
        words
    }

    fn read(&self, name: &str, path: &Path) -> Result<String, Problem> {
        let mut seen = self.0.borrow_mut();
        let bytes = read_proto(path, &mut seen.total)?;
        seen.paths.insert(name.to_owned(), path.to_path_buf());
        text(bytes, &path.display().to_string())
    }
}

/// Returns the problem of a path that is neither a file nor a link to one.
fn no_file(path: &Path) -> Problem {
    let shown = path.display();
    let target = path.read_link().ok().filter(|_| !path.exists());
    let fact = match target {
        Some(target) => {
            format!("`{shown}` is a link to `{}`, which does not exist", target.display())
        }
        None => format!("`{shown}` is not a file"),
    };
    Problem::new(ErrorKind::Io, fact)
}

/// Returns the text of a file, without a byte order mark.
pub(super) fn text(bytes: Vec<u8>, shown: &str) -> Result<String, Problem> {
    match String::from_utf8(bytes) {
        // UTF-16 without a mark is valid UTF-8. Comments may have zero bytes.
        Ok(text) => match text.bytes().take(2).position(|byte| byte == 0) {
            Some(at) => Err(zero_byte(&text, at, shown)),
            None => Ok(match text.strip_prefix('\u{feff}') {
                Some(text) => text.to_owned(),
                None => text,
            }),
        },
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let marks: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];
            let is_utf_16 = marks.iter().any(|mark| error.as_bytes().starts_with(mark));
            let problem = Problem::new(ErrorKind::Proto, "not valid UTF-8")
                .in_file(shown)
                .at(&text, at..at + 1)
                .caused_by(error);
            Err(if is_utf_16 {
                problem.with_help("the file is UTF-16; convert it: `iconv -f UTF-16 -t UTF-8`")
            } else {
                problem
            })
        }
    }
}

/// Returns the problem of a zero byte, with which no proto begins.
fn zero_byte(text: &str, at: usize, shown: &str) -> Problem {
    Problem::new(ErrorKind::Proto, "a zero byte: the file is not a proto")
        .in_file(shown)
        .at(text, at..at + 1)
        .with_help("if the file is UTF-16, convert it: `iconv -f UTF-16LE -t UTF-8`")
}

/// Reads the proto at `path` if it and the `total` bytes read so far are within the limits, and
/// adds its bytes to these.
pub(crate) fn read_proto(path: &Path, total: &mut usize) -> Result<Vec<u8>, Problem> {
    let bytes = read(path, MAX_FILE.min(MAX_TOTAL.saturating_sub(*total)))?;
    *total += bytes.len();
    Ok(bytes)
}

/// Reads the file at `path` if it has at most `limit` bytes.
pub(crate) fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Problem> {
    let io = |error| {
        Problem::new(ErrorKind::Io, format!("cannot read `{}`", path.display())).caused_by(error)
    };
    let mut bytes = Vec::new();
    let ceiling = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let file = DiskFile::open(path).map_err(io)?;
    file.take(ceiling).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() > limit {
        return Err(too_large(&path.display().to_string(), limit));
    }
    Ok(bytes)
}

/// Returns the problem of a file with more than `limit` bytes.
pub(super) fn too_large(shown: &str, limit: usize) -> Problem {
    let fact = format!("`{shown}` is too large: more than {limit} bytes");
    Problem::new(ErrorKind::Limit, fact).with_help(format!(
        "a proto may have {} MiB, and all protos together {} MiB",
        MAX_FILE >> 20,
        MAX_TOTAL >> 20
    ))
}

/// Returns the names of all `.proto` files below `root`, relative to it and separated by `/`,
/// sorted.
pub(super) fn protos_below(root: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut entries = 0;
    let mut folders = vec![(root.to_path_buf(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        for (name, is_folder) in list(&folder)? {
            entries += 1;
            if entries > MAX_ENTRIES || depth > MAX_DEPTH {
                return Err(too_many(root).into());
            }
            let relative = format!("{prefix}{name}");
            if is_folder {
                folders.push((folder.join(&name), format!("{relative}/"), depth + 1));
            } else if name.ends_with(".proto") {
                names.push(relative);
            }
        }
    }
    names.sort();
    if names.is_empty() {
        return Err(none_below(root).into());
    }
    Ok(without_repeated(root, names))
}

/// Drops links to files that have another of the names, which would declare everything twice.
fn without_repeated(root: &Path, names: Vec<String>) -> Vec<String> {
    let is_link = |name: &&String| root.join(name).is_symlink();
    let (links, files): (Vec<&String>, Vec<&String>) = names.iter().partition(is_link);
    if links.is_empty() {
        return names;
    }
    let real = |name: &str| root.join(name).canonicalize().ok();
    let mut known: BTreeSet<PathBuf> = files.iter().filter_map(|name| real(name)).collect();
    let is_known = |name: &&String| real(name).is_some_and(|path| !known.insert(path));
    let repeated: BTreeSet<String> = links.into_iter().filter(is_known).cloned().collect();
    names.into_iter().filter(|name| !repeated.contains(name)).collect()
}

/// Returns the names in `folder`, and whether each is a folder. Links to folders are not followed,
/// because they may be circular. A proto needs a name in UTF-8, like the imports of it; other files
/// with such names are left out.
pub(crate) fn list(folder: &Path) -> Result<Vec<(String, bool)>, Problem> {
    let io = |error| {
        Problem::new(ErrorKind::Io, format!("cannot list `{}`", folder.display())).caused_by(error)
    };
    let mut found = Vec::new();
    for entry in folder.read_dir().map_err(io)? {
        let entry = entry.map_err(io)?;
        let is_folder = entry.file_type().map_err(io)?.is_dir();
        match entry.file_name().into_string() {
            Ok(name) => found.push((name, is_folder)),
            Err(name) if Path::new(&name).extension() == Some("proto".as_ref()) => {
                let shown = folder.join(name).display().to_string();
                let fact = format!("the name of `{shown}` is not valid UTF-8");
                return Err(Problem::new(ErrorKind::Io, fact).with_help("rename the file"));
            }
            Err(_) => {}
        }
    }
    Ok(found)
}

fn too_many(root: &Path) -> Problem {
    Problem::new(ErrorKind::Limit, format!("too many files below `{}`", root.display()))
        .with_help("name the folder that holds the protos")
}

fn none_below(root: &Path) -> Problem {
    Problem::new(ErrorKind::Io, format!("no `.proto` file below `{}`", root.display()))
}

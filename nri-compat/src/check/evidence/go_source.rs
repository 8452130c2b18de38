//! Go files of plugins: those that import NRI's stub.
//!
//! A file only shows what it declares: the package clause, the imports and the handlers. Comments
//! and strings are blanked first, so that what remains is code, on the same lines ([the
//! grammar](https://go.dev/ref/spec#Lexical_elements)). The files of a folder are combined later,
//! with the `go.mod` above them.

use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem;
use regex::{Captures, Regex};

use super::go_code::blanked;
use super::go_mask;
use super::nri_module::{self, MODULE, Package};
use super::{Reader, Unreadable, text};
use crate::check::content::File;
use crate::facts::DEDICATED_RPCS;
use crate::pattern::regex;
use crate::place::Place;
use crate::sighting::{
    Evidence, FileKind, GoHandler, GoMask, GoPackage, Interface, Role, Sighting,
};

/// The maximum size of a file in bytes.
const MAX_FILE: u64 = 8 << 20;

const NAME: &str = "go-source";

/// The reader of Go files.
pub(super) struct GoSource;

impl Reader for GoSource {
    fn name(&self) -> &'static str {
        NAME
    }

    fn recognises(&self, file: &File<'_>) -> bool {
        // Tests are not part of a plugin, and their mocks look like one. Go ignores the others.
        file.name.ends_with(".go")
            && !file.name.ends_with("_test.go")
            && !file.name.starts_with(['_', '.'])
            && !is_in_nri(file.place.path())
    }

    fn read(&self, file: &File<'_>) -> Result<Vec<Sighting>, Unreadable> {
        let text = text::whole(file.content, MAX_FILE)?;
        if memmem::find(text.as_bytes(), b"nri/").is_none() {
            return Ok(Vec::new());
        }
        let found =
            declarations(&file.name, &text).filter(|found| imported(found).next().is_some());
        Ok(found.map(|found| sighting(file, found)).into_iter().collect())
    }
}

/// Returns true if the file is in NRI's own module, vendored or in a module cache. Its packages
/// have handlers that belong to no plugin.
fn is_in_nri(path: &str) -> bool {
    let mut rest = path.split(MODULE).skip(1);
    rest.any(|rest| rest.starts_with(['/', '@']))
}

/// Returns the facts in a file. Files that do not make their package a plugin count only together
/// with one that does.
fn sighting(file: &File<'_>, found: Declarations) -> Sighting {
    let packages: Vec<Package> = imported(&found).collect();
    let has = |package| packages.contains(&package);
    let registers = found.registers.as_ref().filter(|_| has(Package::Api));
    let is_plugin = has(Package::Stub) || has(Package::Skel) || registers.is_some();
    let stub = format!("{MODULE}/pkg/stub");
    let of_nri = found.imports.iter().filter(|path| nri_module::package(path).is_some());
    let imports = of_nri.map(|path| format!("imports {path}"));
    let calls = registers.map(|name| format!("calls {name} without the stub"));
    let declared =
        found.handlers.iter().map(|handler| format!("declares the handler {}", handler.event));
    let masked = found.mask.iter().map(|mask| {
        let GoMask { events, line } = mask;
        format!("line {line}: Configure subscribes to at most {}", events.join(", "))
    });
    let details = imports.chain(calls).chain(declared).chain(masked);
    let evidence = details.map(|detail| Evidence::new(NAME, detail)).collect();
    let handlers = if found.is_conditional { Vec::new() } else { found.handlers };
    let folder = file.disk.as_deref().and_then(Path::parent);
    Sighting {
        place: Place { line: found.line, ..file.place.clone() },
        kind: FileKind::GoSource,
        role: if is_plugin { Role::Plugin } else { Role::None },
        interface: if has(Package::Skel) && !has(Package::Stub) {
            Interface::OneShot
        } else {
            Interface::None
        },
        evidence,
        source: Some(Box::new(GoPackage {
            folder: folder.map(Path::to_owned),
            name: found.package,
            imports_stub: found.imports.contains(&stub),
            handlers,
            mask: found.mask,
            ..GoPackage::default()
        })),
        ..Sighting::default()
    }
}

/// Returns the packages of NRI that a file imports.
fn imported(found: &Declarations) -> impl Iterator<Item = Package> + '_ {
    found.imports.iter().filter_map(|path| nri_module::package(path))
}

/// The relevant declarations of a file.
#[derive(Debug)]
struct Declarations {
    package: String,
    imports: Vec<String>,
    /// The methods with the form of a handler of an event that was sent as `StateChange` before
    /// v0.12.0.
    handlers: Vec<GoHandler>,
    /// The line of the first handler, counted from 1.
    line: Option<u32>,
    /// The function with which the file registers a plugin without the stub.
    registers: Option<String>,
    /// True if the file is not part of every build for Linux.
    is_conditional: bool,
    /// The mask that Configure returns, if the code determines it.
    mask: Option<GoMask>,
}

static PACKAGE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*package\s+(\w+)"));

/// The first declaration after the imports.
static DECLARATION: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:func|type|var|const)\b"));

/// The path of an import.
static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r#""([^"]*)"|`([^`]*)`"#));

/// A handler: `func (p *plugin) RunPodSandbox(_ context.Context, pod *api.PodSandbox) error {`.
/// Methods of other interfaces have the same names, but take something else, or return a pointer.
static HANDLER: LazyLock<Regex> = LazyLock::new(|| {
    let events = DEDICATED_RPCS.join("|");
    regex(&format!(
        r"(?m)^func\s*\([^)]*\)\s*({events})\s*\(([^)]*\bPodSandbox\b[^)]*)\)[^{{*]*\berror\b[^{{*]*\{{"
    ))
});

/// Functions of NRI's bindings that make a program a plugin without the stub.
static REGISTRATION: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:RegisterPlugin|RegisterPluginService)\b"));

/// A build constraint.
static CONSTRAINT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^\s*//(?:go:build| \+build)"));

/// The ends of names of files that are only built for some systems, other than Linux, or one
/// architecture.
const CONDITIONAL_NAMES: [&str; 16] = [
    "_windows", "_darwin", "_freebsd", "_netbsd", "_openbsd", "_solaris", "_wasip1", "_js",
    "_amd64", "_arm64", "_arm", "_386", "_ppc64le", "_s390x", "_riscv64", "_wasm",
];

/// Returns the name in the package clause and the paths of the imports of a file that begins like
/// this.
pub(in crate::check) fn header(text: &str) -> Option<(String, Vec<String>)> {
    let text = text.trim_start_matches('\u{feff}');
    let code = blanked(text, true);
    let package = PACKAGE.captures(&code)?.get(1)?.as_str().to_owned();
    Some((package, imports(text, &code)))
}

/// Returns the declarations of a file; `None` if it has no package clause.
fn declarations(file_name: &str, text: &str) -> Option<Declarations> {
    let text = text.trim_start_matches('\u{feff}');
    let (package, imports) = header(text)?;
    let code = blanked(text, true);
    let handlers = HANDLER.captures_iter(&code);
    let first = HANDLER.find(&code).and_then(|first| code.get(..first.start()));
    let is_conditional = imports.iter().any(|path| path == "C") || is_conditional(file_name, text);
    Some(Declarations {
        package,
        handlers: handlers.filter_map(|found| handler(&found)).collect(),
        line: first.and_then(|before| u32::try_from(before.matches('\n').count() + 1).ok()),
        registers: REGISTRATION.find(&code).map(|name| name.as_str().to_owned()),
        is_conditional,
        mask: go_mask::mask(text, &code),
        imports,
    })
}

fn handler(found: &Captures<'_>) -> Option<GoHandler> {
    let event = DEDICATED_RPCS.into_iter().find(|event| *event == &found[1])?;
    let takes_context = found[2].contains("Context");
    Some(GoHandler { event, takes_context })
}

/// Returns the paths of the imports, which precede all other declarations.
fn imports(text: &str, code: &str) -> Vec<String> {
    let end = DECLARATION.find(code).map_or(code.len(), |first| first.start());
    let before = blanked(text.get(..end).unwrap_or(text), false);
    let paths = PATH.captures_iter(&before);
    let path =
        |found: Captures<'_>| Some(found.get(1).or_else(|| found.get(2))?.as_str().to_owned());
    paths.filter_map(path).collect()
}

/// Returns true if a build constraint or the name of a file restricts the builds that it is part
/// of.
fn is_conditional(file_name: &str, text: &str) -> bool {
    let stem = file_name.strip_suffix(".go").unwrap_or(file_name);
    CONDITIONAL_NAMES.iter().any(|end| stem.ends_with(end)) || CONSTRAINT.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_told_from_other_methods() {
        let text = "package main\nimport (\n\"context\"; n `x/pkg/stub`\n)\nvar _ = `import \"z\"`\n\
            func (p *plugin[T]) RunPodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }\n\
            func (p plugin) StopPodSandbox(*api.PodSandbox) (err error) { return nil }\n\
            func (s *cri) StartContainer(c context.Context, r *v1.Request) (*v1.Answer, error) { return nil, nil }\n\
            func RemovePodSandbox(_ context.Context, _ *api.PodSandbox) error { return nil }\n\
            // func (p *plugin) PostStartContainer(_ context.Context, _ *api.PodSandbox) error {}\n\
            func (p *plugin) StopContainer(_ context.Context, _ *api.PodSandbox) error { return nil }\n";
        let found = declarations("main.go", text).unwrap();
        assert_eq!((&*found.package, found.is_conditional), ("main", false));
        assert_eq!(found.imports, ["context", "x/pkg/stub"]);
        let handlers: Vec<_> =
            found.handlers.iter().map(|one| (one.event, one.takes_context)).collect();
        assert_eq!(found.line, Some(6));
        let expected = [("RunPodSandbox", true), ("StopPodSandbox", false)];
        assert_eq!(handlers, expected);
    }

    #[test]
    fn files_of_some_builds_are_conditional() {
        for (name, text, expected) in [
            ("a.go", "package a", false),
            ("a_linux.go", "package a", false),
            ("a_windows.go", "package a", true),
            ("a_linux_arm64.go", "package a", true),
            ("a.go", "//go:build ignore\n\npackage a", true),
            ("a.go", "package a\nimport \"C\"", true),
        ] {
            let found = declarations(name, text).unwrap();
            assert_eq!(found.is_conditional, expected, "{name}: {text}");
        }
        assert!(declarations("a.go", "module x").is_none());
    }
}

//! Builds the programs of Go modules with the user's toolchain (`check --go`), and reads them: only
//! a program shows everything that a plugin does.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::content::{File, HEAD, Head};
use super::evidence::Reader as _;
use super::evidence::go_module::GoModules;
use super::evidence::nri_module::{self, Package};
use super::evidence::program::Program;
use crate::place::Place;
use crate::sighting::{Evidence, FileKind, Interface, Role, Sighting};
use crate::subprocess;
use crate::unknown::UnknownSource;

/// The time limit for each call of the toolchain, which may download modules.
const MAX_TIME: Duration = Duration::from_secs(600);

/// The maximum number of bytes that are read of each output of the toolchain.
const MAX_OUTPUT: u64 = 64 << 20;

/// The maximum size of a built program in bytes.
const MAX_PROGRAM: u64 = 1 << 30;

/// The number of lines of the toolchain's message that a reason has.
const MAX_MESSAGE_LINES: usize = 3;

/// The maximum length of a reason in characters.
const MAX_MESSAGE: usize = 400;

const NAME: &str = "go-build";

/// The format in which main packages are listed: path, folder and dependencies, separated by tabs.
const FORMAT: &str =
    "{{if eq .Name \"main\"}}{{.ImportPath}}\t{{.Dir}}\t{{join .Deps \" \"}}{{end}}";

/// A main package that links a stub of NRI.
struct Main {
    import_path: String,
    folder: PathBuf,
    dependencies: BTreeSet<String>,
}

/// Builds the plugins in the modules of these packages and paths, and returns the sightings of the
/// programs, and of the packages that belong to none.
pub(super) fn instead_of(
    packages: Vec<Sighting>,
    paths: &[PathBuf],
    modules: &GoModules,
) -> Vec<Sighting> {
    let (mut found, mut mains) = (Vec::new(), BTreeMap::new());
    for (folder, shown) in folders(&packages, paths, modules) {
        match list(&folder) {
            Ok(listed) => {
                mains.extend(listed.into_iter().map(|main| (main.import_path.clone(), main)))
            }
            Err(why) => found.push(not_built(
                Place::from_path(&shown),
                None,
                format!("go list fails: {why}"),
            )),
        }
    }
    for main in mains.values() {
        found.extend(built(main));
    }
    let is_part = |package: &Sighting| {
        let path = package.program.as_deref().unwrap_or_default();
        mains.values().any(|main| main.import_path == path || main.dependencies.contains(path))
    };
    // A declared handler is shown even if the toolchain cannot build the program.
    let is_unbuilt = |package: &Sighting| {
        package.interface == Interface::StateChange
            && found
                .iter()
                .any(|one| one.program == package.program && one.kind == FileKind::GoSource)
    };
    let kept: Vec<Sighting> =
        packages.into_iter().filter(|package| !is_part(package) || is_unbuilt(package)).collect();
    found.retain(|one| {
        !kept.iter().any(|package| is_part(package) && one.program == package.program)
    });
    found.extend(kept);
    found
}

/// Returns the folders below which main packages are listed: those on the command line in modules,
/// and the modules of packages elsewhere. Each is canonical, and with the spelling for messages.
fn folders(
    packages: &[Sighting],
    paths: &[PathBuf],
    modules: &GoModules,
) -> BTreeMap<PathBuf, PathBuf> {
    let mut folders = BTreeMap::new();
    let named = paths
        .iter()
        .filter_map(|path| named_folder(path))
        .filter(|folder| modules.above(folder).is_ok());
    let of_packages = packages
        .iter()
        .filter_map(|package| package.source.as_ref()?.folder.clone())
        .filter_map(|folder| Some(modules.above(&folder).ok()?.folder));
    for folder in named.chain(of_packages) {
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        if let Ok(canonical) = folder.canonicalize() {
            folders.entry(canonical).or_insert(folder);
        }
    }
    folders
}

/// Returns a path if it is a folder, or else the folder of a Go file or a `go.mod`.
fn named_folder(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    let is_source = path.extension() == Some(OsStr::new("go"));
    path.parent().filter(|_| is_source || path.ends_with("go.mod")).map(Path::to_owned)
}

/// Lists the main packages below a folder that link a stub of NRI.
fn list(folder: &Path) -> Result<Vec<Main>, String> {
    let mut go = toolchain(folder);
    go.args(["list", "-e", "-f", FORMAT, "./..."]);
    let answer = run(&mut go)?;
    Ok(String::from_utf8_lossy(&answer).lines().filter_map(listed).collect())
}

fn listed(line: &str) -> Option<Main> {
    let mut fields = line.splitn(3, '\t');
    let (path, folder) = (fields.next()?, fields.next()?);
    let dependencies: BTreeSet<String> = fields.next()?.split(' ').map(str::to_owned).collect();
    let is_plugin = dependencies
        .iter()
        .any(|import| matches!(nri_module::package(import), Some(Package::Stub | Package::Skel)));
    is_plugin.then(|| Main {
        import_path: path.to_owned(),
        folder: PathBuf::from(folder),
        dependencies,
    })
}

/// Builds a program, and returns the sightings in it.
fn built(main: &Main) -> Vec<Sighting> {
    let place = Place::from_path(&main.folder);
    let read = build(&main.folder).and_then(|program| {
        let file = File {
            place: place.clone(),
            name: main.import_path.clone(),
            head: Head::from(program.iter().take(HEAD).copied().collect::<Vec<u8>>()),
            content: &program.as_slice(),
            disk: None,
        };
        Program.read(&file).map_err(|why| why.reason)
    });
    let mut seen = match read {
        Ok(seen) => seen,
        Err(why) => {
            vec![not_built(place, Some(&main.import_path), format!("go build fails: {why}"))]
        }
    };
    for sighting in &mut seen {
        sighting.name = Some(main.import_path.clone());
        sighting.program = Some(main.import_path.clone());
        sighting
            .evidence
            .insert(0, evidence(format!("package {}, with go build", main.import_path)));
    }
    seen
}

/// Builds the package in a folder, and returns the program.
fn build(folder: &Path) -> Result<Vec<u8>, String> {
    let output = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = output.path().join("program");
    let mut go = toolchain(folder);
    go.args(["build", "-buildvcs=false", "-o"]).arg(&program).arg(".");
    run(&mut go)?;
    let size = fs::metadata(&program).map_err(|error| error.to_string())?.len();
    if size > MAX_PROGRAM {
        return Err(format!("the program is larger than {} MiB", MAX_PROGRAM >> 20));
    }
    fs::read(&program).map_err(|error| error.to_string())
}

/// Returns the toolchain in a folder. Plugins run on Linux.
fn toolchain(folder: &Path) -> Command {
    let mut go = Command::new("go");
    go.current_dir(folder).env("GOOS", "linux");
    go
}

/// Runs the toolchain, and returns its output, or the beginning of its message.
fn run(go: &mut Command) -> Result<Vec<u8>, String> {
    let ended = subprocess::run(go, &[], MAX_TIME, MAX_OUTPUT)
        .map_err(|error| format!("cannot run go: {error}"))?
        .ok_or_else(|| format!("it takes longer than {} s", MAX_TIME.as_secs()))?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let lines =
        stderr.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let message = lines.take(MAX_MESSAGE_LINES).collect::<Vec<_>>().join("; ");
    Err(crate::escape::bytes(message.as_bytes()).chars().take(MAX_MESSAGE).collect())
}

fn not_built(place: Place, import_path: Option<&str>, why: String) -> Sighting {
    Sighting {
        place,
        kind: FileKind::GoSource,
        role: Role::Plugin,
        name: import_path.map(str::to_owned),
        program: import_path.map(str::to_owned),
        evidence: vec![evidence(why.clone())],
        interface: Interface::unknown(UnknownSource::NotBuilt(why)),
        ..Sighting::default()
    }
}

fn evidence(detail: String) -> Evidence {
    Evidence::new(NAME, detail)
}

//! The exact next step, by kind of file.

use nri_schema::history::Deprecation;
use nri_schema::model::Event;

use crate::check::evidence::nri_module;
use crate::check::target::Target;
use crate::facts::MODULE;
use crate::sighting::{FileKind, Interface, Role, Sighting};
use crate::unknown::{Unknown, UnknownBridge, UnknownFile, UnknownProgram, UnknownSource};

/// Returns the remedy for events that arrive as `StateChange`.
pub(super) fn state_change(
    seen: &Sighting,
    deprecation: &Deprecation,
    events: &[String],
    target: &Target<'_>,
) -> String {
    let release = newest_accepted(target);
    let since = release.or(deprecation.deprecated_in.nri.as_deref()).unwrap_or("latest");
    match seen.kind {
        FileKind::GoMod
        | FileKind::GoSum
        | FileKind::GoVendor
        | FileKind::GoSource
        | FileKind::GoBinary => go_release(seen, since),
        FileKind::RustBinary if seen.nri.version.is_some() => traits(events),
        FileKind::RustBinary | FileKind::CargoLock => format!(
            "generate its bindings from NRI {since}, and implement the dedicated RPCs {}",
            listed(events)
        ),
        FileKind::Log | FileKind::DeprecationList => who(seen, since),
        FileKind::WasmModule
        | FileKind::OneShotConfig
        | FileKind::Manifest
        | FileKind::RuntimeConfig
        | FileKind::Other => deprecation.remedy.clone(),
    }
}

fn traits(events: &[String]) -> String {
    if events.is_empty() {
        "implement the trait of each event instead of StateChange".to_owned()
    } else {
        format!("implement {} instead of StateChange", listed(events))
    }
}

fn who(seen: &Sighting, since: &str) -> String {
    match &seen.name {
        Some(name) => format!(
            "rebuild plugin {} against NRI {since}; `nri-compat check` on its file or the folder of its \
                 go.mod prints the command to run",
            seen.index.as_ref().map_or_else(|| name.clone(), |index| format!("{index}-{name}"))
        ),
        None if seen.kind == FileKind::Log => "the line is incomplete: find the plugin with `nri-compat check --proc` on the node, or see whether the runtime warns again".to_owned(),
        None => "the list does not name the plugin: give the runtime's log to `nri-compat logs`, or run `nri-compat check --proc`".to_owned(),
    }
}

fn listed(events: &[String]) -> String {
    if events.is_empty() { "every event".to_owned() } else { events.join(", ") }
}

/// Returns the next step for a reason; `None` if the kind of file selects it.
fn next_step(why: &Unknown) -> Option<&'static str> {
    match why {
        Unknown::NotFetched(..) => Some(
            "follow the reason and check again, or check the image as a file: `docker save IMAGE \
                | nri-compat check -`",
        ),
        Unknown::File(UnknownFile::NoFiles) => {
            Some("name the folder that has the plugins, or see why nothing was put into this one")
        }
        Unknown::Process(_) | Unknown::Bridge(UnknownBridge::NoProcess(_)) => Some(
            "check the files or the image that the process was started from, or look for its name \
                in the runtime's log (`nri-compat logs`)",
        ),
        Unknown::Source(UnknownSource::NotBuilt(_)) => Some(
            "make it build with `go build`, and check again with --go; or check the program that \
                was built elsewhere",
        ),
        Unknown::Program(UnknownProgram::HandlersRefused) => Some(
            "give its handlers the signatures that the stub of its NRI release requires; from \
                v0.4.0 on they take a context",
        ),
        Unknown::File(_)
        | Unknown::Program(_)
        | Unknown::Source(_)
        | Unknown::Manifest(_)
        | Unknown::Bridge(_)
        | Unknown::Log(_) => None,
    }
}

/// Returns the newest release of NRI whose plugins the target accepts: it knows every event that
/// they may subscribe to.
fn newest_accepted<'h>(target: &Target<'h>) -> Option<&'h str> {
    let is_known = |event: &Event| target.event(&event.rpc_name).is_some();
    let mut releases = releases(target);
    let (name, _) = releases.rfind(|(_, events)| events.iter().all(is_known))?;
    Some(name)
}

/// Returns the names and events of the tagged releases of NRI that have the protocol, oldest first.
fn releases<'h>(
    target: &Target<'h>,
) -> impl DoubleEndedIterator<Item = (&'h str, &'h [Event])> + use<'h> {
    let history = target.history;
    let tagged = history.releases().iter().filter(|one| !one.untagged);
    tagged.filter_map(|release| {
        let protocol = history.revision_of(release).ok()?.protocol().ok()?;
        Some((release.name.as_str(), &*protocol.nri.as_ref()?.events))
    })
}

/// Returns how to find out what could not be determined.
pub(super) fn find_out(seen: &Sighting) -> String {
    if let Interface::Unknown(why) = &seen.interface
        && let Some(step) = next_step(why)
    {
        return step.to_owned();
    }
    match seen.kind {
        FileKind::GoMod | FileKind::GoSum | FileKind::GoVendor | FileKind::GoSource => {
            build_it(seen)
        }
        FileKind::Log if seen.name.is_none() => {
            "read the whole log again, or run `nri-compat check --proc` on the node".to_owned()
        }
        FileKind::Log => "look at the plugin itself: `nri-compat check` on its file, or with --proc while it runs".to_owned(),
        FileKind::CargoLock => "build the plugin and check the program: cargo build --release && \
             nri-compat check target/release".to_owned(),
        FileKind::Other if seen.role == Role::Library => "build the plugin and check the program: \
             nri-compat check PROGRAM".to_owned(),
        FileKind::Manifest => "render it (`helm template … | nri-compat check -`, `kustomize build`), \
             and fetch the images with --pull, or check the image itself".to_owned(),
        FileKind::GoBinary
        | FileKind::RustBinary
        | FileKind::WasmModule
        | FileKind::OneShotConfig
        | FileKind::DeprecationList
        | FileKind::RuntimeConfig
        | FileKind::Other => "look for its name in the runtime's log (`nri-compat logs`), or ask its author \
             which NRI release it uses".to_owned(),
    }
}

/// Returns the remedy for events that the target does not know.
pub(super) fn leave_out(events: &[String], target: &Target<'_>) -> String {
    let names = events.join(", ");
    let step = format!("subscribe to {names} only where the runtime knows it");
    match first_release(target, events) {
        Some(release) => format!("{step}, or use a runtime with NRI {release} or later"),
        None => step,
    }
}

/// Returns the first NRI release that knows all these events.
fn first_release<'h>(target: &Target<'h>, events: &[String]) -> Option<&'h str> {
    let (name, _) = releases(target).find(|(_, known)| {
        let is_known = |event: &String| known.iter().any(|one| one.rpc_name == *event);
        events.iter().all(is_known)
    })?;
    Some(name)
}

/// The note for plugins that need more than another release.
const SIGNATURES: &str = "the signatures of handlers changed in NRI v0.4.0: they take a context, and need a change of the source; ";

/// Returns the commands that select a release of NRI and build the plugin with it.
fn go_release(seen: &Sighting, release: &str) -> String {
    let note = if takes_no_context(seen) { SIGNATURES } else { "" };
    let get = format!("go get {MODULE}@{release} && go mod tidy");
    match (&seen.source, seen.kind) {
        (Some(package), _) => {
            let vendor = if package.is_vendored { " && go mod vendor" } else { "" };
            format!("{note}in its module, run: {get}{vendor}")
        }
        (None, FileKind::GoBinary) if note.is_empty() => {
            format!("in its module: {get}; then build it again, no source change is needed")
        }
        (None, FileKind::GoBinary) => format!("{note}in its module: {get}; then build it again"),
        (None, _) => format!("{note}{get}"),
    }
}

/// Returns true if the plugin was built with a release whose handlers take no context.
fn takes_no_context(seen: &Sighting) -> bool {
    let version = seen.nri.version.as_deref();
    version.is_some_and(|version| {
        nri_module::parse(version).is_some() && !nri_module::takes_context(version)
    })
}

/// The maximum number of programs that a remedy names.
const MAX_PROGRAMS: usize = 3;

/// Returns how to find out what a source is built to.
fn build_it(seen: &Sighting) -> String {
    let Some(package) = &seen.source else {
        return "build the plugin and check the program: nri-compat check --go FOLDER".to_owned();
    };
    let folder = |path: &str| if path.is_empty() { ".".to_owned() } else { format!("./{path}") };
    if !package.is_program() && !package.name.is_empty() {
        return build_importers(&package.programs, folder);
    }
    let build = folder(&package.path_in_module);
    format!(
        "build it and check the program, in its module: nri-compat check --go {build}, or go build -o plugin {build} \
         && nri-compat check plugin"
    )
}

/// Returns how to build the programs that import a package.
fn build_importers(programs: &[String], folder: impl Fn(&str) -> String) -> String {
    let Some(program) = programs.first() else {
        return "it is a package, and no program of its module imports it: check the program that does".to_owned();
    };
    let named: Vec<String> = programs.iter().take(MAX_PROGRAMS).map(|path| folder(path)).collect();
    let more = match programs.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = folder(program);
    format!(
        "it is a package: build a program of its module that imports it ({}{more}), and check that: nri-compat check --go \
         {first}, or go build -o plugin {first} && nri-compat check plugin",
        named.join(", ")
    )
}

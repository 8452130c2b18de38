//! Building a Go plugin with another release of NRI, and building it at all.

use crate::check::evidence::nri_module;
use crate::facts::MODULE;
use crate::sighting::{FileKind, Sighting};

/// The note for plugins that need more than another release.
const SIGNATURES: &str = "the signatures of handlers changed in NRI v0.4.0: they take a context, and need a change of the source; ";

/// Returns the commands that select a release of NRI and build the plugin with it.
pub(super) fn release(seen: &Sighting, release: &str) -> String {
    let note = if takes_no_context(seen) {
        SIGNATURES
    } else {
        ""
    };
    let get = format!("go get {MODULE}@{release} && go mod tidy");
    match (&seen.source, seen.kind) {
        (Some(package), _) => {
            let vendor = if package.is_vendored {
                " && go mod vendor"
            } else {
                ""
            };
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

/// Returns how to find out what a source is built to.
pub(super) fn find_out(seen: &Sighting) -> String {
    let path = seen
        .source
        .as_ref()
        .map(|package| package.path_in_module.as_str());
    let build = match path {
        None => {
            return "build the plugin and check the program: nri-compat check --go FOLDER"
                .to_owned();
        }
        Some("") => ".".to_owned(),
        Some(path) => format!("./{path}"),
    };
    format!(
        "build it and check the program, in its module: nri-compat check --go {build}, or go build -o plugin {build} \
         && nri-compat check plugin"
    )
}

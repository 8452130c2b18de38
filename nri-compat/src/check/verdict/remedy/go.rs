//! Building a Go plugin with another release of NRI. The commands depend on what determines the
//! release: with a replacement, `go get` has no effect, or makes the requirement older.

use crate::check::evidence::nri_module;
use crate::facts::MODULE;
use crate::sighting::{FileKind, GoPackage, Pin, Sighting};

/// Returns the commands to run. They select the oldest sufficient release: a newer one is the
/// author's choice.
pub(super) fn release(seen: &Sighting, since: &str) -> String {
    let get = format!("go get {MODULE}@{since} && go mod tidy");
    match (&seen.source, seen.kind) {
        (Some(package), _) => pinned(package, since).unwrap_or(get),
        (None, FileKind::GoBinary) => {
            format!("in its module: {get}; then build it again, no source change is needed")
        }
        (None, FileKind::GoVendor) => format!("{get} && go mod vendor"),
        (None, _) => get,
    }
}

/// Returns how to find out what a source is built with.
pub(super) fn find_out(seen: &Sighting) -> String {
    let build = "build the plugin and check the program";
    let pins = seen
        .source
        .as_ref()
        .map_or(&[][..], |package| &package.pins);
    let deciding: Vec<String> = pins.iter().map(describe).collect();
    if deciding.is_empty() {
        return build.to_owned();
    }
    format!(
        "{build}, or let its files agree on one release: {}",
        deciding.join("; ")
    )
}

/// Returns the commands for a module whose release does not only depend on its `go.mod`.
fn pinned(package: &GoPackage, since: &str) -> Option<String> {
    if package.pins.is_empty() {
        return None;
    }
    let mut reasons = Vec::new();
    let mut commands = Vec::new();
    for pin in &package.pins {
        if let Pin::Replace { file, line, key } = pin {
            reasons.push(format!("{file}:{line} replaces NRI"));
            commands.push(drop_replacement(file, key));
        }
    }
    let is_old = package.required.as_deref().and_then(nri_module::parse) < nri_module::parse(since);
    if is_old {
        commands.push(format!("go get {MODULE}@{since}"));
    }
    commands.push("go mod tidy".to_owned());
    for pin in &package.pins {
        if let Pin::ModFile { file } = pin {
            reasons.push(format!("{file} is another module file"));
            commands.push(format!("go get -modfile={file} {MODULE}@{since}"));
            commands.push(format!("go mod tidy -modfile={file}"));
        }
    }
    for pin in &package.pins {
        if let Pin::Vendor { in_workspace } = pin {
            reasons.push("its packages are vendored".to_owned());
            commands.push(vendor(*in_workspace).to_owned());
        }
    }
    commands.dedup();
    reasons.dedup();
    Some(format!(
        "{}; in the folder of its go.mod, run: {}",
        reasons.join(", "),
        commands.join(" && ")
    ))
}

fn drop_replacement(file: &str, key: &str) -> String {
    let file_name = file.rsplit('/').next().unwrap_or(file);
    let tool = if file_name == "go.work" {
        "go work edit"
    } else {
        "go mod edit"
    };
    if file == "go.mod" {
        format!("{tool} -dropreplace={key}")
    } else {
        format!("{tool} -dropreplace={key} {file}")
    }
}

fn vendor(in_workspace: bool) -> &'static str {
    if in_workspace {
        "go work vendor"
    } else {
        "go mod vendor"
    }
}

fn describe(pin: &Pin) -> String {
    match pin {
        Pin::Replace { file, line, .. } => format!("{file}:{line} replaces NRI"),
        Pin::ModFile { file } => format!("{file} is a module file for -modfile"),
        Pin::Vendor { in_workspace } => format!(
            "{} brings the vendored code up to date",
            vendor(*in_workspace)
        ),
    }
}

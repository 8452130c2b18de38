//! From signs to sightings: one for each part that a program plays.

use super::handlers::{self, Handlers};
use super::signs::{Adaptation, Signs, Stub};
use super::table::Table;
use super::{build_info, evidence};
use crate::check::content::File;
use crate::check::evidence::binary::Image;
use crate::check::evidence::{Unreadable, identity};
use crate::check::sighting::{
    Built, Certainty, Events, Evidence, FileKind, Interface, Role, Sighting,
};

/// The first release whose stub has a method for every event, and whose adaptation calls it.
const DEDICATED: &str = "v0.12.0";
/// The first release that knows pod updates and validation, and the untagged version before it that knows the former.
const POD_UPDATES: &str = "v0.10.0";
const POD_UPDATES_UNTAGGED: &str = "v0.9.1-0.20250219030224-e597e7849f24";
/// The first release of today's interface, and the last one before.
const FIRST: &str = "v0.2.0";
const ONE_SHOT: &str = "v0.1.0";

/// What the signs say the program is; nothing if NRI is not in it.
pub(super) fn from(
    file: &File<'_>,
    image: &Image<'_>,
    table: &Table,
    signs: &Signs,
) -> Result<Vec<Sighting>, Unreadable> {
    let mut seen = Vec::new();
    for stub in signs.stubs.iter().filter(|stub| stub.new) {
        seen.push(plugin(file, image, table, stub)?);
    }
    // Methods of a stub that is never made may register it: that is no plugin.
    if let (Some(module), true) = (&signs.service, seen.is_empty() && signs.stubs.is_empty()) {
        seen.push(without_stub(file, module));
    }
    if let (Some(module), true) = (&signs.one_shot, seen.is_empty()) {
        seen.push(one_shot(file, module));
    }
    seen.extend(
        signs
            .adaptations
            .iter()
            .map(|adaptation| runtime(file, adaptation)),
    );
    if let (Some(module), true) = (&signs.client, seen.is_empty()) {
        seen.push(old_runtime(file, module));
    }
    if let (Some(module), true) = (&signs.library, seen.is_empty()) {
        seen.push(library(file, module, signs));
    }
    let info = if seen.is_empty() {
        None
    } else {
        build_info::read(image)?
    };
    let program = info.as_ref().and_then(build_info::BuildInfo::program);
    for sighting in &mut seen {
        sighting.sighting.program = program.map(str::to_owned);
        add_build_info(sighting, info.as_ref());
    }
    Ok(seen.into_iter().map(|seen| seen.sighting).collect())
}

/// A sighting, and the import path of the NRI in it.
struct Seen {
    sighting: Sighting,
    module: String,
}

fn seen(file: &File<'_>, module: &str, role: Role, detail: String) -> Seen {
    let (index, name) = match role {
        Role::Plugin => identity(&file.name),
        _ => (None, None),
    };
    Seen {
        sighting: Sighting {
            place: file.place.clone(),
            kind: FileKind::GoBinary,
            role,
            name,
            index,
            evidence: vec![evidence(detail)],
            ..Sighting::default()
        },
        module: module.to_owned(),
    }
}

fn plugin(
    file: &File<'_>,
    image: &Image<'_>,
    table: &Table,
    stub: &Stub,
) -> Result<Seen, Unreadable> {
    let module = &stub.module;
    let mut seen = seen(
        file,
        module,
        Role::Plugin,
        format!("{module}/pkg/stub.New is linked: a plugin"),
    );
    let sighting = &mut seen.sighting;
    let (interface, built, detail) = generation(stub);
    sighting.interface = interface;
    sighting.nri = built;
    sighting.evidence.push(evidence(detail));
    let (events, detail) = events(image, table, stub)?;
    sighting.events = events;
    sighting.evidence.extend(detail);
    Ok(seen)
}

/// What a stub of this age does, and the releases that have it.
fn generation(stub: &Stub) -> (Interface, Built, String) {
    let (at_least, below, detail) = if stub.dedicated {
        (DEDICATED, None, "the stub has a method for each event")
    } else if stub.validate {
        (
            POD_UPDATES,
            Some(DEDICATED),
            "the stub validates adjustments, but has no RunPodSandbox",
        )
    } else if stub.update_pod {
        (
            POD_UPDATES_UNTAGGED,
            Some(POD_UPDATES),
            "the stub knows pod updates, but does not validate adjustments",
        )
    } else {
        (
            FIRST,
            Some(POD_UPDATES),
            "the stub has neither RunPodSandbox nor UpdatePodSandbox",
        )
    };
    let interface = match stub.dedicated {
        true => Interface::Dedicated,
        false => Interface::StateChange,
    };
    let range = match below {
        Some(below) => format!("{at_least} or later, older than {below}"),
        None => format!("{at_least} or later"),
    };
    (
        interface,
        built(Some(at_least), below),
        format!("{detail}: {range}"),
    )
}

fn built(at_least: Option<&str>, below: Option<&str>) -> Built {
    Built {
        version: None,
        at_least: at_least.map(str::to_owned),
        below: below.map(str::to_owned),
    }
}

fn events(
    image: &Image<'_>,
    table: &Table,
    stub: &Stub,
) -> Result<(Events, Vec<Evidence>), Unreadable> {
    let exact = handlers::exact(image, table, stub)?;
    if let Some(handlers) = exact
        .as_ref()
        .filter(|handlers| !handlers.events.is_empty())
    {
        return Ok((
            certain(handlers, Certainty::Exact),
            exact_evidence(handlers),
        ));
    }
    let why = match exact {
        Some(_) => "no type in it has a handler that the stub would take",
        None => "its types cannot be read",
    };
    let handlers = handlers::by_name(image, table, stub)?;
    if handlers.events.is_empty() || exact.is_some() {
        let detail = format!("{why}: which events it handles cannot be told");
        return Ok((Events::default(), vec![evidence(detail)]));
    }
    let detail = format!(
        "{why}; by their names, methods of {} handle events, maybe more than are",
        handlers.shown()
    );
    Ok((
        certain(&handlers, Certainty::ByName),
        vec![evidence(detail)],
    ))
}

fn certain(handlers: &Handlers, certainty: Certainty) -> Events {
    Events {
        names: handlers.events.names(),
        certainty,
    }
}

fn exact_evidence(handlers: &Handlers) -> Vec<Evidence> {
    let mut all = vec![evidence(format!(
        "methods of the types that the stub asks for, in {}",
        handlers.shown()
    ))];
    if handlers.types.len() > 1 {
        let detail = "more than one type has handlers: all are counted, as which of them reach the stub cannot be told";
        all.push(evidence(detail));
    }
    all
}

/// A plugin that serves the protocol by itself.
fn without_stub(file: &File<'_>, module: &str) -> Seen {
    let detail = format!(
        "{module}/pkg/api.RegisterPluginService is linked without a stub: a plugin of its own making"
    );
    let mut seen = seen(file, module, Role::Plugin, detail);
    seen.sighting.interface =
        Interface::Unknown("it serves the protocol without NRI's stub".into());
    seen
}

fn one_shot(file: &File<'_>, module: &str) -> Seen {
    let mut seen = seen(
        file,
        module,
        Role::Plugin,
        format!("{module}/skel.Run is linked: a v0.1.0 plugin"),
    );
    seen.sighting.interface = Interface::OneShot;
    seen.sighting.nri = built(Some(ONE_SHOT), None);
    seen
}

fn runtime(file: &File<'_>, adaptation: &Adaptation) -> Seen {
    let module = &adaptation.module;
    let mut seen = seen(
        file,
        module,
        Role::Runtime,
        format!("{module}/pkg/adaptation.New is linked: a runtime"),
    );
    let (built, detail) = match adaptation.dedicated {
        true => (
            built(Some(DEDICATED), None),
            "it calls a dedicated RPC for each event",
        ),
        false => (
            built(Some(FIRST), Some(DEDICATED)),
            "it has no calls of dedicated RPCs for all events",
        ),
    };
    seen.sighting.nri = built;
    seen.sighting.evidence.push(evidence(detail));
    seen
}

fn old_runtime(file: &File<'_>, module: &str) -> Seen {
    let detail = format!("{module}.(*Client).Invoke is linked: it runs v0.1.0 plugins");
    seen(file, module, Role::Runtime, detail)
}

fn library(file: &File<'_>, module: &str, signs: &Signs) -> Seen {
    let detail = match signs.stubs.is_empty() {
        true => format!("only the types of {module} are linked"),
        false => format!("{module}/pkg/stub is linked without stub.New: no plugin"),
    };
    seen(file, module, Role::Library, detail)
}

fn add_build_info(seen: &mut Seen, info: Option<&build_info::BuildInfo>) {
    let sighting = &mut seen.sighting;
    // A folder `vendor` in front of the path is how programs without modules have it.
    let path = seen
        .module
        .rsplit("/vendor/")
        .next()
        .unwrap_or(&seen.module);
    let Some(info) = info.filter(|info| !info.modules.is_empty()) else {
        sighting
            .evidence
            .push(evidence("there is no list of modules in it"));
        return;
    };
    let Some(module) = info.module(path) else {
        sighting.evidence.push(evidence(format!(
            "its list of modules does not have {path}"
        )));
        return;
    };
    let (version, detail) = build_info::describe(path, &module);
    sighting.evidence.push(evidence(detail));
    sighting.nri.version = Some(version);
}

//! The roles that a program has in NRI by the code that it links: a sighting for each.

use super::build_info::{self, BuildInfo};
use super::handlers::{self, Handlers};
use super::linked_code::{self, Adaptation, LinkedCode, Stub};
use super::table::{SECTIONS, Table};
use super::{NAME, evidence};
use crate::check::content::File;
use crate::check::events::in_order;
use crate::check::evidence::binary::Image;
use crate::check::evidence::protocol::{self, Names};
use crate::check::evidence::{Unreadable, opaque, sighting};
use crate::facts::{self, DEDICATED};
use crate::sighting::{Built, Certainty, Evidence, FileKind, Interface, Role, Sighting};
use crate::unknown::UnknownProgram;

/// The number of dedicated RPCs that a stub answers, unless it is older than them.
const ALL_DEDICATED: usize = facts::DEDICATED_RPCS.len();

/// Returns the sightings of a program with this code; none if there is no NRI in the program.
pub(super) fn of_program(
    file: &File<'_>,
    image: &Image<'_>,
    table: &Table,
    linked: &LinkedCode,
) -> Result<Vec<Sighting>, Unreadable> {
    // Each with the import path of its NRI.
    let mut seen: Vec<(&str, Sighting)> = Vec::new();
    for (module, stub) in linked.stubs.iter().filter(|(_, stub)| stub.new) {
        let mut plugin = plugin(file, image, table, (module, stub))?;
        if linked.loads_code {
            loads_code(&mut plugin);
        }
        seen.push((module, plugin));
    }
    // Bindings of another protocol can have a service with this name.
    if !linked.services.is_empty() && names(image)?.protocol {
        for package in &linked.services {
            let module = package.strip_suffix("/pkg/api").unwrap_or(package);
            seen.push((module, without_stub(file, package)));
        }
    }
    // A program may be started in both ways.
    if let Some(module) = &linked.one_shot {
        seen.push((module, one_shot(file, module)));
    }
    for (module, adaptation) in &linked.adaptations {
        seen.push((module, runtime(file, module, adaptation)));
    }
    if let (Some(module), true) = (&linked.client, seen.is_empty()) {
        let detail = format!("{module}.(*Client).Invoke is linked: it runs v0.1.0 plugins");
        seen.push((module, of_role(file, Role::Runtime, detail)));
    }
    if let (Some(module), true) = (&linked.library, seen.is_empty()) {
        seen.push((module, library(file, image, module, linked)?));
    }
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    let info = build_info::read(image)?;
    let program = info.as_ref().and_then(BuildInfo::program);
    for (module, sighting) in &mut seen {
        sighting.program = program.map(str::to_owned);
        add_build_info(module, sighting, info.as_ref());
    }
    Ok(seen.into_iter().map(|(_, sighting)| sighting).collect())
}

/// Returns the names of the protocol among the constants of a program.
fn names(image: &Image<'_>) -> Result<Names, Unreadable> {
    protocol::read(image, &image.constants(is_code))
}

/// Returns true if a program carries any trace of NRI among its constants.
pub(super) fn has_traces(image: &Image<'_>) -> Result<bool, Unreadable> {
    protocol::has_traces(image.content, &image.constants(is_code))
}

/// Returns true if a section has no constants, such as machine code, or the function table, whose
/// names do not count.
fn is_code(section: &str) -> bool {
    section == ".text" || SECTIONS.contains(&section)
}

/// Reports a program without NRI's packages that has names of the protocol or of the connection to
/// a runtime. One that has only the path of the socket, and cannot connect to any, prints it.
pub(super) fn own_bindings(
    file: &File<'_>,
    image: &Image<'_>,
    table: &Table,
) -> Result<Option<Sighting>, Unreadable> {
    let names = names(image)?;
    if names.protocol {
        return Ok(Some(of_names(file, &names)));
    }
    let connects = names.variable || names.socket && linked_code::connects(image, table)?;
    Ok(connects.then(|| opaque::connects(file, FileKind::GoBinary, NAME)))
}

fn of_names(file: &File<'_>, names: &Names) -> Sighting {
    let mut details = names.describe().into_iter();
    let first = details.next().unwrap_or_default();
    let mut seen = of_role(file, Role::Plugin, first);
    seen.evidence.extend(details.map(evidence));
    seen.interface = Interface::unknown(UnknownProgram::NoStub);
    seen
}

/// Returns a sighting of a program in this role. `detail` is the evidence for it.
fn of_role(file: &File<'_>, role: Role, detail: String) -> Sighting {
    sighting(file, FileKind::GoBinary, role, evidence(detail))
}

fn plugin(
    file: &File<'_>,
    image: &Image<'_>,
    table: &Table,
    (module, stub): (&str, &Stub),
) -> Result<Sighting, Unreadable> {
    let linked = format!("{module}/pkg/stub.New is linked: a plugin");
    let mut sighting = of_role(file, Role::Plugin, linked);
    let (interface, built, detail) = generation(stub);
    sighting.interface = interface;
    sighting.nri = built;
    sighting.evidence.push(evidence(detail));
    match handlers::read(image, table, module, stub)? {
        Some(handlers) if !handlers.events.is_empty() => {
            sighting.events.names = in_order(|event| handlers.events.contains(event));
            sighting.events.certainty = Certainty::Exact;
            sighting.evidence.extend(handler_evidence(&handlers));
        }
        // A stub refuses to start a plugin of which it accepts no handler.
        Some(_) => cannot_tell(&mut sighting, UnknownProgram::HandlersRefused),
        None => cannot_tell(&mut sighting, UnknownProgram::HandlersUnread),
    }
    Ok(sighting)
}

/// Notes why the events that a plugin handles cannot be determined.
fn cannot_tell(plugin: &mut Sighting, why: UnknownProgram) {
    let detail = format!("{why}: cannot determine which events it handles");
    plugin.interface = Interface::unknown(why);
    plugin.evidence.push(evidence(detail));
}

/// Notes that a plugin can load code, which may handle more events.
fn loads_code(plugin: &mut Sighting) {
    plugin.events.certainty = Certainty::Observed;
    let detail = "it can load Go plugins (plugin.Open), whose handlers are not in this file";
    plugin.evidence.push(evidence(detail));
}

/// Describes the interface of a stub of this generation, and the releases that have it.
fn generation(stub: &Stub) -> (Interface, Built, String) {
    let (at_least, below, detail) = match stub.dedicated.len() {
        ALL_DEDICATED => (DEDICATED, None, "the stub has a method for each event"),
        0 if stub.validate => (
            facts::VALIDATION,
            Some(DEDICATED),
            "the stub validates adjustments, but has no RunPodSandbox",
        ),
        0 if stub.update_pod => (
            facts::POD_UPDATES,
            Some(facts::VALIDATION),
            "the stub knows pod updates, but does not validate adjustments",
        ),
        0 => (
            facts::PROTOCOL,
            Some(facts::VALIDATION),
            "the stub has neither RunPodSandbox nor UpdatePodSandbox",
        ),
        _ => {
            let why = UnknownProgram::MixedStub;
            let detail = format!("{why}: a build between releases, or a changed copy");
            let built = Built::range(Some(facts::VALIDATION), None);
            return (Interface::unknown(why), built, detail);
        }
    };
    let (interface, range) = match below {
        Some(below) => (Interface::StateChange, format!("{at_least} or later, older than {below}")),
        None => (Interface::Dedicated, format!("{at_least} or later")),
    };
    (interface, Built::range(Some(at_least), below), format!("{detail}: {range}"))
}

fn handler_evidence(handlers: &Handlers) -> Vec<Evidence> {
    let mut all = vec![evidence(format!(
        "methods with the types that the stub requires, in {}",
        handlers.shown()
    ))];
    if handlers.types.len() > 1 {
        let detail = "several types have handlers: all are counted, because any of them may be \
             passed to the stub";
        all.push(evidence(detail));
    }
    all
}

/// Reports a plugin that serves the protocol only with generated bindings.
fn without_stub(file: &File<'_>, package: &str) -> Sighting {
    let detail = format!("{package}.RegisterPluginService is linked without a stub");
    Sighting {
        interface: Interface::unknown(UnknownProgram::ServesWithoutStub),
        ..of_role(file, Role::Plugin, detail)
    }
}

fn one_shot(file: &File<'_>, module: &str) -> Sighting {
    if !module.ends_with("nri") {
        let why = UnknownProgram::CopiedSkel(module.to_owned());
        let detail = why.to_string();
        return Sighting {
            interface: Interface::unknown(why),
            ..of_role(file, Role::Plugin, detail)
        };
    }
    let detail = format!("{module}/skel.Run is linked: a v0.1.0 plugin");
    Sighting {
        interface: Interface::OneShot,
        nri: Built::range(Some(facts::ONE_SHOT), None),
        ..of_role(file, Role::Plugin, detail)
    }
}

fn runtime(file: &File<'_>, module: &str, adaptation: &Adaptation) -> Sighting {
    let linked = format!("{module}/pkg/adaptation.New is linked: a runtime");
    let mut seen = of_role(file, Role::Runtime, linked);
    if adaptation.dedicated {
        seen.nri = Built::range(Some(DEDICATED), None);
        seen.evidence.push(evidence("it calls a dedicated RPC for each event"));
    } else {
        seen.nri = Built::range(Some(facts::PROTOCOL), Some(DEDICATED));
        let detail = "it does not call a dedicated RPC for each event";
        seen.evidence.push(evidence(detail));
    }
    seen
}

/// Reports a user of NRI's types. A program that also names the services, or links a server, might
/// serve the protocol.
fn library(
    file: &File<'_>,
    image: &Image<'_>,
    module: &str,
    linked: &LinkedCode,
) -> Result<Sighting, Unreadable> {
    let names = names(image)?;
    if linked.stubs.is_empty() && (names.plugin || names.runtime || linked.server) {
        return Ok(of_names(file, &names));
    }
    let detail = if linked.stubs.is_empty() {
        format!("only the types of {module} are linked")
    } else {
        format!("{module}/pkg/stub is linked without stub.New: not a plugin")
    };
    Ok(of_role(file, Role::Library, detail))
}

fn add_build_info(module: &str, sighting: &mut Sighting, info: Option<&BuildInfo>) {
    // Programs without modules have a folder `vendor` before the path.
    let path = module.rsplit("/vendor/").next().unwrap_or(module);
    let detail = match info.filter(|info| !info.modules.is_empty()) {
        None => "it has no list of modules".to_owned(),
        Some(info) => match info.module(path) {
            None => format!("its list of modules does not have {path}"),
            Some(listed) => {
                let (version, detail) = build_info::describe(path, &listed);
                sighting.nri.version = Some(version);
                detail
            }
        },
    };
    sighting.evidence.push(evidence(detail));
}

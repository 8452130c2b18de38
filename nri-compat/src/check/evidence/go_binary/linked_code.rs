//! Determines from the names of linked functions which role a program has, from which import path,
//! and with which generation of NRI.

use std::collections::{BTreeMap, BTreeSet};

use super::table::Table;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::facts::{DEDICATED_RPCS, MODULE};

/// The suffixes of NRI's packages below its import path.
const STUB: &str = "/pkg/stub.";
const ADAPTATION: &str = "/pkg/adaptation.";
const API: &str = "/pkg/api";
const SKEL: &str = "/skel.Run";
const CLIENT: &str = "/nri.(*Client).Invoke";
const MESSAGE: &str = "/pkg/api.(*ContainerAdjustment)";
const PACKAGES: &str = "nri/pkg/";
/// A part of all names of NRI's packages, except in renamed forks.
const NRI_FOLDER: &str = "/nri";
/// The function with which generated bindings register the service of a plugin, in any package.
const SERVICE: &str = ".RegisterPluginService";
/// The function with which a ttrpc server, or a copy of it, starts to serve.
const SERVER: &str = "ttrpc.(*Server).Serve";
/// The functions through which a Go program connects to a socket, of the standard library and of
/// `golang.org/x/sys/unix`.
const CONNECT: [&str; 4] = ["syscall.connect", "syscall.Connect", "unix.connect", "unix.Connect"];
/// The function with which a program loads code.
const LOADER: &str = "plugin.Open";
/// The functions of Go's library through which a program starts another one, or becomes one.
const STARTERS: [&str; 2] = ["syscall.forkExec", "syscall.runtime_BeforeExec"];
/// Parts of stub, adaptation, service, `skel.Run`, loader and starters that begin with letters
/// which few other names have: the search compares every name with the first four bytes of each,
/// and `/pkg` would fit most.
const RARE_PARTS: [&str; 7] =
    ["/stub.", "/adaptation.", "rPluginService", SKEL, "n.Open", "kExec", "eExec"];

/// The code of NRI, and code that matters beside it, in a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LinkedCode {
    /// The stubs, by the import path of their module: usually none or one.
    pub(super) stubs: BTreeMap<String, Stub>,
    /// The adaptations, by the import path of their module.
    pub(super) adaptations: BTreeMap<String, Adaptation>,
    /// The import path of a module whose `skel.Run` is linked: a v0.1.0 plugin.
    pub(super) one_shot: Option<String>,
    /// The import path of a client that runs v0.1.0 plugins.
    pub(super) client: Option<String>,
    /// Packages with bindings whose plugin service is registered without a stub.
    pub(super) services: BTreeSet<String>,
    /// Import path of anything of NRI.
    pub(super) library: Option<String>,
    /// True if a ttrpc server is linked. Only determined for programs without another role.
    pub(super) server: bool,
    /// True if it can load Go plugins (`-buildmode=plugin`), which may contain handlers.
    pub(super) loads_code: bool,
    /// True if it can start other programs.
    pub(super) starts_programs: bool,
}

/// NRI's stub, with the parts that are linked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stub {
    /// True if a function that creates a stub is linked; a program without one is not a plugin.
    pub(super) new: bool,
    /// True if it has the methods of NRI's stub.
    nri: bool,
    /// The events for which it has the dedicated RPC.
    pub(super) dedicated: BTreeSet<String>,
    /// True if it knows pod updates.
    pub(super) update_pod: bool,
    /// True if it validates adjustments.
    pub(super) validate: bool,
}

/// NRI's adaptation, the runtime's side.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Adaptation {
    /// True if `adaptation.New` is linked.
    pub(super) new: bool,
    /// True if it calls dedicated RPCs.
    pub(super) dedicated: bool,
}

/// Determines from the names in a table which code is linked.
pub(super) fn read(image: &Image<'_>, table: &Table) -> Result<LinkedCode, Unreadable> {
    let mut linked = LinkedCode::default();
    // A single pass, because each pass decodes all names.
    linked.search(image, table, &RARE_PARTS)?;
    linked.stubs.retain(|_, stub| stub.nri);
    linked.adaptations.retain(|_, adaptation| adaptation.new);
    // A stub registers the service of its own bindings.
    for module in linked.stubs.keys() {
        linked.services.remove(&format!("{module}{API}"));
    }
    let is_plugin = linked.stubs.values().any(|stub| stub.new);
    if !is_plugin && linked.adaptations.is_empty() && any(image, table, &[NRI_FOLDER, MESSAGE])? {
        // Most programs have no trace of NRI and end before this; plugins and runtimes need no
        // more.
        linked.search(image, table, &[CLIENT])?;
        linked.library = part_of_nri(image, table)?;
        if linked.library.is_some() {
            linked.server = any(image, table, &[SERVER])?;
        }
    }
    Ok(linked)
}

/// Returns true if the program can connect to a socket.
pub(super) fn connects(image: &Image<'_>, table: &Table) -> Result<bool, Unreadable> {
    any(image, table, &CONNECT)
}

fn any(image: &Image<'_>, table: &Table, needles: &[&str]) -> Result<bool, Unreadable> {
    let found = table.search(image, needles, |_| Some(()))?;
    Ok(found.is_some())
}

/// Returns the import path of NRI, if any of its packages is linked.
fn part_of_nri(image: &Image<'_>, table: &Table) -> Result<Option<String>, Unreadable> {
    table.search(image, &[MESSAGE, PACKAGES], |name| {
        let module = library(without_type_arguments(name));
        module.map(str::to_owned)
    })
}

impl LinkedCode {
    /// Adds the code with the names that contain one of the needles.
    fn search(
        &mut self,
        image: &Image<'_>,
        table: &Table,
        needles: &[&str],
    ) -> Result<(), Unreadable> {
        table.search(image, needles, |name| {
            self.see(name);
            None::<()>
        })?;
        Ok(())
    }

    fn see(&mut self, name: &str) {
        let name = without_type_arguments(name);
        if let Some((module, rest)) = name.split_once(STUB) {
            self.stubs.entry(module.to_owned()).or_default().see(rest);
        } else if let Some((module, rest)) = name.split_once(ADAPTATION) {
            let adaptation = self.adaptations.entry(module.to_owned());
            adaptation.or_default().see(rest);
        } else if name == LOADER {
            self.loads_code = true;
        } else if STARTERS.contains(&name) {
            self.starts_programs = true;
        } else if let Some(module) = name.strip_suffix(SKEL) {
            self.one_shot.get_or_insert_with(|| module.to_owned());
        } else if let Some((parent, _)) = name.split_once(CLIENT) {
            self.client.get_or_insert_with(|| format!("{parent}/nri"));
        } else if let Some(package) = name.strip_suffix(SERVICE) {
            self.services.insert(package.to_owned());
        }
    }
}

impl Stub {
    fn see(&mut self, rest: &str) {
        match rest.strip_prefix("(*stub).") {
            Some("StateChange" | "Synchronize" | "setupHandlers") => self.nri = true,
            Some("UpdatePodSandbox") => self.update_pod = true,
            Some("ValidateContainerAdjustment") => self.validate = true,
            Some(method) if DEDICATED_RPCS.contains(&method) => {
                self.dedicated.insert(method.to_owned());
            }
            Some(_) => {}
            // Forks have other names.
            None => self.new |= rest.starts_with("New") && !rest.contains('.'),
        }
    }
}

impl Adaptation {
    fn see(&mut self, rest: &str) {
        self.new |= rest == "New";
        let method = rest.strip_prefix("(*pluginType).");
        self.dedicated |= method.is_some_and(|method| DEDICATED_RPCS.contains(&method));
    }
}

/// Returns the import path of NRI, if the name is of one of its packages.
fn library(name: &str) -> Option<&str> {
    if let Some((module, _)) = name.split_once(MESSAGE) {
        return Some(module);
    }
    let end = name.find(PACKAGES)? + PACKAGES.find('/')?;
    name.get(..end).filter(|module| module.ends_with(MODULE))
}

/// Returns the name without its type arguments, which may name NRI although the function is not
/// part of it.
fn without_type_arguments(name: &str) -> &str {
    name.split_once('[').map_or(name, |(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(names: &[&str]) -> LinkedCode {
        let mut linked = LinkedCode::default();
        names.iter().for_each(|name| linked.see(name));
        linked
    }

    #[test]
    fn stubs_are_told_apart_by_import_path_and_methods() {
        let linked = linked(&[
            "example.org/fork/pkg/stub.New",
            "example.org/fork/pkg/stub.(*stub).StateChange",
            "example.org/nri-docs/pkg/stub.New",
            "github.com/containerd/nri/pkg/stub.(*stub).StateChange",
            "github.com/containerd/nri/pkg/stub.(*stub).RunPodSandbox",
        ]);
        for (module, nri, new, dedicated) in [
            ("example.org/fork", true, true, 0),
            ("example.org/nri-docs", false, true, 0),
            ("github.com/containerd/nri", true, false, 1),
        ] {
            let stub = &linked.stubs[module];
            let found = (stub.nri, stub.new, stub.dedicated.len());
            assert_eq!(found, (nri, new, dedicated), "{module}");
        }
        assert_eq!(library("example.org/nri-docs/pkg/stub.Render"), None);
    }

    #[test]
    fn the_parts_searched_for_are_those_of_the_names() {
        let names = [STUB, ADAPTATION, SERVICE, SKEL, LOADER].into_iter();
        for (part, name) in RARE_PARTS.iter().zip(names.chain(STARTERS)) {
            assert!(name.ends_with(part), "{name}");
        }
    }

    #[test]
    fn type_arguments_do_not_count() {
        let name = "example.org/cache.(*Map[string,github.com/containerd/nri/pkg/stub.New]).Get";
        assert_eq!(linked(&[name]), LinkedCode::default());
    }
}

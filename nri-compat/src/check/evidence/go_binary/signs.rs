//! What the names of linked functions tell: who uses NRI, from which import path, of which age.

use super::table::Table;
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::window::Flow;

/// RPCs that stubs and runtimes have a method of their own for since v0.12.0.
const DEDICATED: [&str; 9] = [
    "RunPodSandbox",
    "StopPodSandbox",
    "RemovePodSandbox",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "PostUpdateContainer",
    "RemoveContainer",
    "PostUpdatePodSandbox",
];

/// Where NRI's packages stand below its import path.
const STUB: &str = "/pkg/stub.";
const ADAPTATION: &str = "/pkg/adaptation.";
const SKEL: &str = "/skel.Run";
const CLIENT: &str = "/nri.(*Client).Invoke";
const MESSAGE: &str = "/pkg/api.(*ContainerAdjustment)";
const SERVICE: &str = "/pkg/api.RegisterPluginService";
const PACKAGES: &str = "nri/pkg/";
/// What all of these have in their names, but for the messages of forks.
const NRI_FOLDER: &str = "/nri";

/// The import path in whose place forks have their own.
const NRI: &str = "github.com/containerd/nri";

/// All that was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// Stubs, by import path: usually none or one.
    pub(super) stubs: Vec<Stub>,
    /// Adaptations.
    pub(super) adaptations: Vec<Adaptation>,
    /// Import path whose `skel.Run` is linked: a v0.1.0 plugin.
    pub(super) one_shot: Option<String>,
    /// Import path of a client that runs v0.1.0 plugins.
    pub(super) client: Option<String>,
    /// Import path of a plugin service that is registered, by the stub or by hand.
    pub(super) service: Option<String>,
    /// Import path of anything of NRI.
    pub(super) library: Option<String>,
}

/// NRI's stub, as far as it is linked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stub {
    /// Import path of its module.
    pub(super) module: String,
    /// Whether `stub.New` is linked: without it, no plugin.
    pub(super) new: bool,
    /// Whether its methods are those of NRI's stub.
    nri: bool,
    /// Whether it has a method for a dedicated RPC: v0.12.0 or later.
    pub(super) dedicated: bool,
    /// Whether it knows pod updates: v0.10.0 or later, and one untagged version before.
    pub(super) update_pod: bool,
    /// Whether it validates adjustments: v0.10.0 or later.
    pub(super) validate: bool,
}

/// NRI's adaptation, the runtime's side.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Adaptation {
    /// Import path of its module.
    pub(super) module: String,
    /// Whether `adaptation.New` is linked.
    pub(super) new: bool,
    /// Whether it calls dedicated RPCs: v0.12.0 or later.
    pub(super) dedicated: bool,
}

/// Reads the signs off the names of a table.
pub(super) fn read(image: &Image<'_>, table: &Table) -> Result<Signs, Unreadable> {
    let mut signs = Signs::default();
    let see = |needles: &[&str], signs: &mut Signs| {
        table.search(image, needles, |name| {
            signs.see(name);
            Flow::On
        })
    };
    see(&[STUB, ADAPTATION], &mut signs)?;
    signs.stubs.retain(|stub| stub.nri);
    signs.adaptations.retain(|adaptation| adaptation.new);
    let plays_a_part = signs.stubs.iter().any(|stub| stub.new) || !signs.adaptations.is_empty();
    // Most programs have nothing of NRI, and end here; plugins and runtimes need no more.
    if !plays_a_part && any(image, table, &[NRI_FOLDER, MESSAGE])? {
        see(&[SKEL, CLIENT, SERVICE], &mut signs)?;
        signs.library = part_of_nri(image, table)?;
    }
    Ok(signs)
}

fn any(image: &Image<'_>, table: &Table, needles: &[&str]) -> Result<bool, Unreadable> {
    let mut any = false;
    table.search(image, needles, |_| {
        any = true;
        Flow::Stop
    })?;
    Ok(any)
}

/// The import path of NRI, if any of its packages is linked.
fn part_of_nri(image: &Image<'_>, table: &Table) -> Result<Option<String>, Unreadable> {
    let mut found = None;
    table.search(image, &[MESSAGE, PACKAGES], |name| {
        let module = library(without_type_arguments(name));
        found = module.map(str::to_owned);
        // One is enough: programs with NRI have thousands.
        if found.is_some() {
            Flow::Stop
        } else {
            Flow::On
        }
    })?;
    Ok(found)
}

impl Signs {
    fn see(&mut self, name: &str) {
        let name = without_type_arguments(name);
        if let Some((module, rest)) = name.split_once(STUB) {
            self.stub(module).see(rest);
        } else if let Some((module, rest)) = name.split_once(ADAPTATION) {
            self.adaptation(module).see(rest);
        } else if let Some(module) = name
            .strip_suffix(SKEL)
            .filter(|module| module.ends_with("nri"))
        {
            self.one_shot.get_or_insert_with(|| module.to_owned());
        } else if let Some((parent, _)) = name.split_once(CLIENT) {
            self.client.get_or_insert_with(|| format!("{parent}/nri"));
        } else if let Some(module) = name
            .strip_suffix(SERVICE)
            .filter(|module| module.ends_with("nri"))
        {
            self.service.get_or_insert_with(|| module.to_owned());
        }
    }

    fn stub(&mut self, module: &str) -> &mut Stub {
        let place = self.stubs.iter().position(|stub| stub.module == module);
        let place = place.unwrap_or_else(|| {
            self.stubs.push(Stub {
                module: module.to_owned(),
                ..Stub::default()
            });
            self.stubs.len() - 1
        });
        &mut self.stubs[place]
    }

    fn adaptation(&mut self, module: &str) -> &mut Adaptation {
        let place = self
            .adaptations
            .iter()
            .position(|known| known.module == module);
        let place = place.unwrap_or_else(|| {
            self.adaptations.push(Adaptation {
                module: module.to_owned(),
                ..Adaptation::default()
            });
            self.adaptations.len() - 1
        });
        &mut self.adaptations[place]
    }
}

impl Stub {
    fn see(&mut self, rest: &str) {
        match rest.strip_prefix("(*stub).") {
            Some("StateChange" | "Synchronize" | "setupHandlers") => self.nri = true,
            Some("UpdatePodSandbox") => self.update_pod = true,
            Some("ValidateContainerAdjustment") => self.validate = true,
            Some(method) if DEDICATED.contains(&method) => self.dedicated = true,
            _ => self.new |= rest == "New",
        }
    }
}

impl Adaptation {
    fn see(&mut self, rest: &str) {
        self.new |= rest == "New";
        let method = rest.strip_prefix("(*pluginType).");
        self.dedicated |= method.is_some_and(|method| DEDICATED.contains(&method));
    }
}

/// The import path of NRI, if the name is of one of its packages.
fn library(name: &str) -> Option<&str> {
    if let Some((module, _)) = name.split_once(MESSAGE) {
        return Some(module);
    }
    let end = name.find(PACKAGES)? + PACKAGES.find('/')?;
    name.get(..end).filter(|module| module.ends_with(NRI))
}

/// The name up to its type arguments: those of a generic function may name NRI without being part of it.
fn without_type_arguments(name: &str) -> &str {
    name.split_once('[').map_or(name, |(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(names: &[&str]) -> Signs {
        let mut signs = Signs::default();
        names.iter().for_each(|name| signs.see(name));
        signs
    }

    #[test]
    fn forks_are_told_apart_by_their_import_path() {
        let signs = signs(&[
            "example.org/fork/pkg/stub.New",
            "example.org/fork/pkg/stub.(*stub).StateChange",
            "github.com/containerd/nri/pkg/stub.(*stub).StateChange",
            "github.com/containerd/nri/pkg/stub.(*stub).RunPodSandbox",
        ]);
        let stubs = signs.stubs.iter();
        let seen: Vec<_> = stubs
            .map(|stub| (&*stub.module, stub.new, stub.dedicated))
            .collect();
        let expected = [
            ("example.org/fork", true, false),
            ("github.com/containerd/nri", false, true),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_stub_of_something_else_is_none_of_nri() {
        let signs = signs(&[
            "example.org/rpc/pkg/stub.New",
            "example.org/nri-docs/pkg/stub.Render",
        ]);
        assert!(signs.stubs.iter().all(|stub| !stub.nri));
        assert_eq!(library("example.org/nri-docs/pkg/stub.Render"), None);
    }

    #[test]
    fn type_arguments_do_not_count() {
        let name = "example.org/cache.(*Map[string,github.com/containerd/nri/pkg/stub.New]).Get";
        assert_eq!(signs(&[name]), Signs::default());
    }
}

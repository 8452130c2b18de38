//! Which events a plugin handles: exactly, from its types, or else by the names of its methods.

use std::collections::{BTreeSet, HashMap};

use super::signs::Stub;
use super::table::Table;
use super::types::{Method, Types};
use crate::check::events::{BEFORE_V0_10, EVENTS, EventSet, WITH_POD_UPDATES, WITH_VALIDATION};
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::check::evidence::binary::window::Flow;

/// A method that only services of the CRI have: types that have it are no plugins, whatever else they have.
const CRI: &str = "ListPodSandbox";
/// The most types that are named in evidence.
const NAMED: usize = 8;

/// Handlers found, and in which types.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Handlers {
    pub(super) events: EventSet,
    pub(super) types: BTreeSet<String>,
}

impl Handlers {
    /// The types for people, a few of them.
    pub(super) fn shown(&self) -> String {
        let named: Vec<&str> = self.types.iter().take(NAMED).map(String::as_str).collect();
        match self.types.len().checked_sub(NAMED) {
            None | Some(0) => named.join(", "),
            Some(more) => format!("{} and {more} more", named.join(", ")),
        }
    }
}

/// The events that the stub would find in some type of the program, as the stub does: by name and type of its methods.
///
/// None where the types cannot be found.
pub(super) fn exact(
    image: &Image<'_>,
    table: &Table,
    stub: &Stub,
) -> Result<Option<Handlers>, Unreadable> {
    let Some(mut types) = Types::locate(image, table)? else {
        return Ok(None);
    };
    let wanted = interfaces(&mut types, &format!("{}/pkg/stub", stub.module))?;
    if !known(stub).iter().all(|event| wanted.contains_key(event)) {
        return Ok(None);
    }
    implementations(&mut types, &wanted, &stub.module).map(Some)
}

/// The events that a stub of this age knows at least; a newer one than any that is known may know more.
fn known(stub: &Stub) -> &'static [&'static str] {
    let known = if stub.validate {
        WITH_VALIDATION
    } else if stub.update_pod {
        WITH_POD_UPDATES
    } else {
        BEFORE_V0_10
    };
    EVENTS.get(..known).unwrap_or(&EVENTS)
}

/// What the stub asks a plugin for: event and the type of its method, from the stub's own interfaces.
type Wanted = HashMap<&'static str, u32>;

fn interfaces(types: &mut Types<'_>, package: &str) -> Result<Wanted, Unreadable> {
    let mut wanted = Wanted::new();
    let mut packages: HashMap<u32, bool> = HashMap::new();
    types.each(|types, found| {
        let Some(method) = types.only_method(found) else {
            return;
        };
        let known = packages.entry(found.package);
        let of_stub =
            *known.or_insert_with(|| types.name(found.package).as_deref() == Some(package));
        let named = of_stub
            && types
                .type_name(found)
                .is_some_and(|name| name.ends_with("Interface"));
        if let Some(event) = types
            .name(method.name)
            .filter(|_| named)
            .and_then(|name| event(&name))
        {
            wanted.insert(event, method.of);
        }
    })?;
    Ok(wanted)
}

fn event(name: &str) -> Option<&'static str> {
    EVENTS.into_iter().find(|event| *event == name)
}

fn implementations(
    types: &mut Types<'_>,
    wanted: &Wanted,
    module: &str,
) -> Result<Handlers, Unreadable> {
    let mut handlers = Handlers::default();
    types.each(|types, found| {
        let handled = |method: &Method| {
            // Most methods fail here, before their name is looked at.
            wanted.values().any(|of| *of == method.of).then_some(())?;
            let event = event(&types.name(method.name)?)?;
            (wanted.get(event) == Some(&method.of)).then_some(event)
        };
        let events: Vec<_> = types
            .methods(found)
            .filter_map(|method| handled(&method))
            .collect();
        if events.is_empty() || of_nri(&types.name(found.package).unwrap_or_default(), module) {
            return;
        }
        for event in events {
            handlers.events.insert(event);
        }
        handlers.types.extend(types.type_name(found));
    })?;
    handlers.types = without_pointers(&handlers.types);
    Ok(handlers)
}

/// Whether a package is NRI's own code, which no plugin's handlers are in.
fn of_nri(package: &str, module: &str) -> bool {
    let below = package.strip_prefix(module);
    below.is_some_and(|below| below.is_empty() || below.starts_with("/pkg/") || below == "/skel")
}

/// Each type once: `main.plugin` and `*main.plugin` are one to people.
fn without_pointers(types: &BTreeSet<String>) -> BTreeSet<String> {
    types
        .iter()
        .map(|name| name.trim_start_matches('*').to_owned())
        .collect()
}

/// The events for which some type outside NRI has a method of the right name. Maybe more than are handled.
pub(super) fn by_name(
    image: &Image<'_>,
    table: &Table,
    stub: &Stub,
) -> Result<Handlers, Unreadable> {
    let needles: Vec<String> = known(stub)
        .iter()
        .copied()
        .chain([CRI])
        .map(|name| format!(".{name}\0"))
        .collect();
    let needles: Vec<&str> = needles.iter().map(String::as_str).collect();
    let mut seen: HashMap<String, EventSet> = HashMap::new();
    let mut services = BTreeSet::new();
    table.search(image, &needles, |name| {
        let Some((receiver, method)) = method(name) else {
            return Flow::On;
        };
        if method == CRI {
            services.insert(receiver.clone());
        } else if !of_nri(package(&receiver), &stub.module) {
            seen.entry(receiver).or_default().insert(method);
        }
        Flow::On
    })?;
    seen.retain(|receiver, _| !services.contains(receiver));
    Ok(seen
        .into_iter()
        .fold(Handlers::default(), |mut all, (receiver, events)| {
            all.events = all.events.union(events);
            all.types.insert(receiver);
            all
        }))
}

/// Receiver and name of a method, from the name of its function: `main.(*plugin).Run`, `main.plugin.Run`,
/// `main.(*plugin[...]).Run`. None for plain functions.
fn method(name: &str) -> Option<(String, &str)> {
    let (receiver, method) = name.rsplit_once('.')?;
    let (package, of) = match receiver.rsplit_once(".(*") {
        Some((package, of)) => (package, of.strip_suffix(')')?),
        None => split_package(receiver)?,
    };
    let plain = of.split('[').next().unwrap_or(of);
    Some((format!("{package}.{plain}"), method))
}

/// `main.plugin[...]` and `example.org/x.plugin` in package and type: the first dot behind the last slash of the path.
fn split_package(receiver: &str) -> Option<(&str, &str)> {
    let path = receiver.split('[').next()?;
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let dot = start + receiver.get(start..)?.find('.')?;
    Some((receiver.get(..dot)?, receiver.get(dot + 1..)?))
}

fn package(receiver: &str) -> &str {
    receiver
        .rsplit_once('.')
        .map_or(receiver, |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_told_from_functions() {
        let parts = |name| method(name).map(|(receiver, method)| format!("{receiver} {method}"));
        let expect = |name, parts: Option<&str>, found: Option<String>| {
            assert_eq!(found.as_deref(), parts, "{name}");
        };
        for (name, receiver) in [
            (
                "main.(*plugin).RunPodSandbox",
                Some("main.plugin RunPodSandbox"),
            ),
            (
                "main.plugin.RunPodSandbox",
                Some("main.plugin RunPodSandbox"),
            ),
            (
                "main.(*gen[...]).RunPodSandbox",
                Some("main.gen RunPodSandbox"),
            ),
            (
                "main.gen[go.shape.int].RunPodSandbox",
                Some("main.gen RunPodSandbox"),
            ),
            (
                "example.org/a.b/c.(*p).RunPodSandbox",
                Some("example.org/a.b/c.p RunPodSandbox"),
            ),
            ("example.org/a.b/c.RunPodSandbox", None),
            ("main.RunPodSandbox", None),
        ] {
            expect(name, receiver, parts(name));
        }
    }

    #[test]
    fn only_what_is_below_pkg_is_nri_itself() {
        let nri = "github.com/containerd/nri";
        assert!(of_nri("github.com/containerd/nri/pkg/api", nri));
        assert!(of_nri("github.com/containerd/nri", nri));
        assert!(!of_nri(
            "github.com/containerd/nri/plugins/device-injector",
            nri
        ));
        assert!(!of_nri("github.com/containerd/nri-plugins/pkg/x", nri));
    }
}

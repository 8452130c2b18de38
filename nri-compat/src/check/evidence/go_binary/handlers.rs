//! The events that a plugin handles: exactly, from its types, or else from the names of its
//! methods.

use std::collections::{BTreeSet, HashMap};

use super::signs::Stub;
use super::table::Table;
use super::types::{Method, Types};
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::facts::{BEFORE_POD_UPDATES, EVENTS, WITH_POD_UPDATES};

/// The module with clients and servers of the CRI, whose calls have the same names.
const CRI_PACKAGE: &str = "k8s.io/cri-api/";
/// The types of NRI with methods of the same names: the stub, and clients and servers of the
/// bindings.
const OWN_TYPES: [&str; 7] = [
    "/pkg/stub.stub",
    "/pkg/api.pluginClient",
    "/pkg/api.pluginService",
    "/pkg/api.PluginService",
    "/pkg/api.pluginPlugin",
    "/pkg/api.pluginplugin",
    "/pkg/api.UnimplementedPluginServer",
];
/// The package with which a runtime calls plugins.
const ADAPTATION: &str = "/pkg/adaptation.";
/// The maximum number of types that are named in evidence.
const MAX_NAMED: usize = 8;

/// The handlers found, and their types.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Handlers {
    pub(super) events: BTreeSet<String>,
    pub(super) types: BTreeSet<String>,
}

impl Handlers {
    /// Returns the names of some of the types, for evidence.
    pub(super) fn shown(&self) -> String {
        let named: Vec<&str> = self
            .types
            .iter()
            .take(MAX_NAMED)
            .map(String::as_str)
            .collect();
        match self.types.len().checked_sub(MAX_NAMED) {
            None | Some(0) => named.join(", "),
            Some(more) => format!("{} and {more} more", named.join(", ")),
        }
    }
}

/// Returns the events that the stub would find in any type of the program, by name and type of the
/// methods, like the stub. `None` if the types cannot be found.
pub(super) fn exact(
    image: &Image<'_>,
    table: &Table,
    module: &str,
    stub: &Stub,
) -> Result<Option<Handlers>, Unreadable> {
    let Some(types) = Types::locate(image, table)? else {
        return Ok(None);
    };
    let wanted = interfaces(&types, &format!("{module}/pkg/stub"));
    if !handler_names(stub)
        .iter()
        .all(|event| wanted.contains_key(event))
    {
        return Ok(None);
    }
    Ok(Some(implementations(&types, &wanted)))
}

/// Returns the events that a stub of this generation knows at least; a stub newer than any known
/// one may know more.
fn handler_names(stub: &Stub) -> &'static [&'static str] {
    if stub.validate {
        &EVENTS
    } else if stub.update_pod {
        WITH_POD_UPDATES
    } else {
        BEFORE_POD_UPDATES
    }
}

/// The methods that the stub requires for each event, with their types, from the stub's own
/// interfaces.
type Wanted = HashMap<&'static str, u32>;

fn interfaces(types: &Types<'_>, package: &str) -> Wanted {
    let mut packages: HashMap<u32, bool> = HashMap::new();
    let mut of_stub = |name: u32| {
        let known = packages.entry(name);
        *known.or_insert_with(|| types.name(name).as_deref() == Some(package))
    };
    let interfaces = types.all().filter_map(|found| {
        let method = types.only_method(&found)?;
        let is_named = of_stub(found.package) && types.type_name(&found)?.ends_with("Interface");
        is_named.then_some(())?;
        Some((event(&types.name(method.name)?)?, method.of))
    });
    interfaces.collect()
}

fn event(name: &str) -> Option<&'static str> {
    EVENTS.into_iter().find(|event| *event == name)
}

fn implementations(types: &Types<'_>, wanted: &Wanted) -> Handlers {
    let mut handlers = Handlers::default();
    let handled = |method: &Method| {
        // Most methods fail here, before their name is compared.
        wanted.values().any(|of| *of == method.of).then_some(())?;
        let event = event(&types.name(method.name)?)?;
        (wanted.get(event) == Some(&method.of)).then_some(event)
    };
    for found in types.all() {
        let methods = types.methods(&found);
        let mut events = methods.filter_map(|method| handled(&method)).peekable();
        if events.peek().is_some() {
            handlers.types.extend(types.type_name(&found));
        }
        handlers.events.extend(events.map(str::to_owned));
    }
    handlers.types = without_pointers(&handlers.types);
    handlers
}

/// Returns true if the receiver of a method is one of NRI's own types, which answer calls but are
/// not plugins. A module with a copy of NRI may have handlers right next to it, even in these
/// packages, so only the types themselves count.
fn of_nri(receiver: &str, module: &str) -> bool {
    let below = receiver.strip_prefix(module);
    below.is_some_and(|below| OWN_TYPES.contains(&below) || below.starts_with(ADAPTATION))
}

/// Returns each type once: `main.plugin` and `*main.plugin` count as the same.
fn without_pointers(types: &BTreeSet<String>) -> BTreeSet<String> {
    types
        .iter()
        .map(|name| name.trim_start_matches('*').to_owned())
        .collect()
}

/// Returns the events for which some type outside NRI has a method with the right name: an upper
/// bound.
pub(super) fn by_name(
    image: &Image<'_>,
    table: &Table,
    module: &str,
    stub: &Stub,
) -> Result<Handlers, Unreadable> {
    let needles: Vec<String> = handler_names(stub)
        .iter()
        .map(|name| format!(".{name}\0"))
        .collect();
    let needles: Vec<&str> = needles.iter().map(String::as_str).collect();
    let mut handlers = Handlers::default();
    table.search(image, &needles, |name| {
        let found = method(name)
            .filter(|(receiver, _)| !of_nri(receiver, module) && !receiver.contains(CRI_PACKAGE));
        if let Some((receiver, method)) = found {
            handlers.events.insert(method.to_owned());
            handlers.types.insert(receiver);
        }
        None::<()>
    })?;
    Ok(handlers)
}

/// Splits the receiver and name of a method from the name of its function: `main.(*plugin).Run`,
/// `main.plugin.Run`, `main.(*plugin[...]).Run`. Returns `None` for plain functions.
fn method(name: &str) -> Option<(String, &str)> {
    let (receiver, method) = name.rsplit_once('.')?;
    let (package, of) = match receiver.rsplit_once(".(*") {
        Some((package, of)) => (package, of.strip_suffix(')')?),
        None => split_package(receiver)?,
    };
    let plain = of.split('[').next().unwrap_or(of);
    Some((format!("{package}.{plain}"), method))
}

/// Splits `main.plugin[...]` and `example.org/x.plugin` into package and type, at the first dot
/// after the last slash of the path.
fn split_package(receiver: &str) -> Option<(&str, &str)> {
    let path = receiver.split('[').next()?;
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let dot = start + receiver.get(start..)?.find('.')?;
    Some((receiver.get(..dot)?, receiver.get(dot + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_told_from_functions() {
        for (receiver, expected) in [
            ("main.(*plugin)", Some("main.plugin")),
            ("main.plugin", Some("main.plugin")),
            ("main.(*gen[...])", Some("main.gen")),
            ("main.gen[go.shape.int]", Some("main.gen")),
            ("example.org/a.b/c.(*p)", Some("example.org/a.b/c.p")),
            ("example.org/a.b/c", None),
            ("main", None),
        ] {
            let name = format!("{receiver}.RunPodSandbox");
            let found = method(&name);
            let expected = expected.map(|of| (of.to_owned(), "RunPodSandbox"));
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_copy_of_nri_hides_only_its_own_types() {
        let module = "corp.example/all/platform";
        assert!(of_nri("corp.example/all/platform/pkg/stub.stub", module));
        assert!(of_nri(
            "corp.example/all/platform/pkg/adaptation.plugin",
            module
        ));
        assert!(!of_nri(
            "corp.example/all/platform/pkg/handlers.stub",
            module
        ));
        assert!(!of_nri("corp.example/all/platform/pkg/stub.plugin", module));
        assert!(!of_nri("corp.example/all/platform.plugin", module));
    }
}

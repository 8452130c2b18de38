//! The events that a plugin handles, from its types.

use std::collections::{BTreeSet, HashMap};

use super::linked_code::Stub;
use super::table::Table;
use super::types::{Method, Types};
use crate::check::evidence::Unreadable;
use crate::check::evidence::binary::Image;
use crate::facts::{BEFORE_POD_UPDATES, EVENTS, WITH_POD_UPDATES, WITH_VALIDATION};

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
        let named: Vec<&str> = self.types.iter().take(MAX_NAMED).map(String::as_str).collect();
        match self.types.len().checked_sub(MAX_NAMED) {
            None | Some(0) => named.join(", "),
            Some(more) => format!("{} and {more} more", named.join(", ")),
        }
    }
}

/// Returns the events that the stub would find in any type of the program, by name and type of the
/// methods, like the stub. `None` if the types cannot be found.
pub(super) fn read(
    image: &Image<'_>,
    table: &Table,
    module: &str,
    stub: &Stub,
) -> Result<Option<Handlers>, Unreadable> {
    let Some(types) = Types::locate(image, table)? else {
        return Ok(None);
    };
    let wanted = interfaces(&types, &format!("{module}/pkg/stub"));
    if !handler_names(stub).iter().all(|event| wanted.contains_key(event)) {
        return Ok(None);
    }
    Ok(Some(implementations(&types, &wanted)))
}

/// Returns the events that every stub of this generation knows. A newer one may know more, which
/// must not be demanded of the older ones: they would become unreadable with each event that a
/// release adds.
fn handler_names(stub: &Stub) -> &'static [&'static str] {
    if stub.validate {
        WITH_VALIDATION
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
            // `main.plugin` and `*main.plugin` count as the same.
            let name = types.type_name(&found).map(|name| name.trim_start_matches('*').to_owned());
            handlers.types.extend(name);
        }
        handlers.events.extend(events.map(str::to_owned));
    }
    handlers
}

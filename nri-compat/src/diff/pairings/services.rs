//! Services: peers find each other by their full names.

use crate::diff::nri::semantics::{PLUGIN, RUNTIME};
use nri_schema::model::Service;

use super::{Pair, Peer};
use crate::report::pairing::{ItemKind, Outcome};

/// A service that both sides need, with the consequence if one of them does not have it.
struct Needed {
    name: &'static str,
    without_plugin: &'static str,
    without_runtime: &'static str,
}

const NEEDED: [Needed; 2] = [
    Needed {
        name: PLUGIN,
        without_plugin: "it answers UNIMPLEMENTED to every call of the runtime",
        without_runtime: "it calls nothing that the plugin has",
    },
    Needed {
        name: RUNTIME,
        without_plugin: "it cannot register",
        without_runtime: "it answers UNIMPLEMENTED, and no plugin can register",
    },
];

impl Pair<'_> {
    /// Returns true if the services that both need have the same names on both sides.
    pub(super) fn find_each_other(&mut self) -> bool {
        for needed in &NEEDED {
            let of_plugin = self.plugin.side.service(needed.name);
            let of_runtime = self.runtime.side.service(needed.name);
            if let Some((element, detail)) = self.mismatch(needed, of_plugin, of_runtime) {
                self.push(ItemKind::Service, &element, Outcome::Dropped, detail);
            }
        }
        self.items.is_empty()
    }

    /// Returns the full name of a service that does not connect the peers, with the reason.
    fn mismatch(
        &self,
        needed: &Needed,
        of_plugin: Option<&Service>,
        of_runtime: Option<&Service>,
    ) -> Option<(String, String)> {
        let detail = match (of_plugin, of_runtime) {
            (Some(plugin), Some(runtime)) if plugin.full_name == runtime.full_name => return None,
            (Some(plugin), Some(runtime)) => {
                let names = (&plugin.full_name, &runtime.full_name);
                format!(
                    "{} to the plugin, {} to the runtime: calls do not reach the other side",
                    names.0, names.1
                )
            }
            (None, Some(runtime)) => {
                lacking(("plugin", self.plugin), runtime, needed.without_plugin)
            }
            (Some(plugin), None) => {
                lacking(("runtime", self.runtime), plugin, needed.without_runtime)
            }
            (None, None) => "neither side declares this service".to_owned(),
        };
        let element = of_runtime.or(of_plugin).map_or_else(
            || self.runtime.side.full(needed.name),
            |service| service.full_name.clone(),
        );
        Some((element, detail))
    }
}

/// Returns the reason for a peer that lacks a service, with the service that has its calls under
/// another name, if there is one.
fn lacking((who, peer): (&str, Peer<'_>), service: &Service, consequence: &str) -> String {
    let renamed = peer
        .side
        .services()
        .iter()
        .find(|other| is_alike(other, service));
    match renamed {
        Some(other) => format!(
            "the {who} calls this service {}, and services are found by name: {consequence}",
            other.full_name
        ),
        None => format!("the {who} does not declare this service: {consequence}"),
    }
}

/// Returns true if a service has most of the RPCs of another one.
fn is_alike(one: &Service, other: &Service) -> bool {
    let shared = other.rpcs.iter().filter(|rpc| one.rpc(&rpc.name).is_some());
    shared.count() * 2 > other.rpcs.len()
}

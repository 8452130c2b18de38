//! The direction of messages: from plugin to runtime, or from runtime to plugin.

use super::semantics::{PLUGIN, REGISTER};
use std::collections::{BTreeMap, BTreeSet};

use nri_schema::model::{FieldKind, Message, Rpc};

use super::side::Side;

/// The names, without package, of the messages and enums that travel in each direction.
#[derive(Debug, Default)]
pub(in crate::diff) struct Flows {
    /// Messages that plugins answer with, and send in calls other than registration.
    pub(in crate::diff) answers: BTreeSet<String>,
    /// Messages that plugins send when they register.
    pub(in crate::diff) registration: BTreeSet<String>,
    /// Messages that runtimes send in calls and answers.
    pub(in crate::diff) requests: BTreeSet<String>,
}

impl Flows {
    /// Follows the fields of every request and response.
    pub(in crate::diff) fn new(side: &Side<'_>) -> Self {
        let messages = side.messages().into_iter();
        let by_name = messages.map(|message| (message.full_name.as_str(), message));
        let by_name = by_name.collect();
        let mut flows = Self::default();
        for service in &side.protocol.services {
            for rpc in &service.rpcs {
                flows.follow(side, &by_name, rpc, service.name == PLUGIN);
            }
        }
        if flows.requests.contains("FieldOwners") {
            // The ids in FieldOwners are values of this enum, although they are declared as int32.
            flows.requests.insert("Field".to_owned());
        }
        flows
    }

    fn follow(&mut self, side: &Side<'_>, messages: &Messages<'_>, rpc: &Rpc, runtime_calls: bool) {
        let (down, up) = if runtime_calls {
            (&rpc.input, &rpc.output)
        } else {
            (&rpc.output, &rpc.input)
        };
        reach(side, messages, down, &mut self.requests);
        let sent = if rpc.name == REGISTER {
            &mut self.registration
        } else {
            &mut self.answers
        };
        reach(side, messages, up, sent);
    }
}

type Messages<'s> = BTreeMap<&'s str, &'s Message>;

/// Adds the type with this full name and every type that its fields lead to.
fn reach(side: &Side<'_>, messages: &Messages<'_>, full: &str, seen: &mut BTreeSet<String>) {
    let mut ahead = vec![full];
    while let Some(full) = ahead.pop() {
        if seen.insert(side.relative(full).to_owned())
            && let Some(message) = messages.get(full)
        {
            let fields = message.fields.iter();
            ahead.extend(fields.filter_map(|field| type_name(&field.kind)));
        }
    }
}

fn type_name(kind: &FieldKind) -> Option<&str> {
    match kind {
        FieldKind::Scalar(_) => None,
        FieldKind::Message(name) | FieldKind::Enum(name) => Some(name),
        FieldKind::Map { value, .. } => type_name(value),
    }
}

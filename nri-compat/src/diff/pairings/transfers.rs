//! The transfer of the request and response of each RPC, and of the fields in them.

use crate::diff::nri::semantics::PLUGIN;
use std::collections::HashMap;

use nri_schema::model::Rpc;

use super::{Peers, item};
use crate::diff::nri::side::NriSide;
use crate::diff::nri::synchronize;
use crate::diff::wire::{Arrival, Retyped, Transfer, Transfers};
use crate::report::pairing::{ItemKind, PairingItem, PairingOutcome};

/// A message between the peers.
pub(super) struct Message<'s> {
    /// True if the plugin sends it.
    pub(super) from_plugin: bool,
    /// The type on the sender's side, without package.
    pub(super) sent: String,
    /// The type on the receiver's side, without package.
    pub(super) expected: String,
    /// True if both sides declare both types, so that one is not a new name of the other.
    both_declare_both: bool,
    /// The transfer of each of its parts.
    pub(super) parts: Vec<Transfer<'s>>,
    /// The fields whose messages are read as another type.
    retyped: Vec<Retyped<'s>>,
}

/// Both messages of an RPC that both sides have, request first.
pub(super) struct RpcTransfer<'s> {
    pub(super) service: String,
    pub(super) name: String,
    pub(super) streams_differ: bool,
    pub(super) messages: [Message<'s>; 2],
}

impl<'s> Peers<'s> {
    /// Returns the RPCs that both sides have, in declaration order.
    pub(super) fn transfers(&self) -> Vec<RpcTransfer<'s>> {
        let (plugin, runtime) = (self.plugin, self.runtime);
        let mut to_plugin_and_runtime = [
            Transfers::new(runtime.schema, plugin.schema),
            Transfers::new(plugin.schema, runtime.schema),
        ];
        let called = runtime
            .side
            .protocol
            .services
            .iter()
            .flat_map(|service| service.rpcs.iter().map(move |rpc| (service, rpc)));
        let shared = called.filter_map(|(service, called)| {
            let known = self.plugin.side.rpc(&service.name, &called.name)?;
            let transfers = &mut to_plugin_and_runtime;
            Some(self.transfer(transfers, &service.name, known, called))
        });
        shared.collect()
    }

    fn transfer(
        &self,
        transfers: &mut [Transfers<'s>; 2],
        service: &str,
        of_plugin: &'s Rpc,
        of_runtime: &'s Rpc,
    ) -> RpcTransfer<'s> {
        let streams = |rpc: &Rpc| (rpc.client_streaming, rpc.server_streaming);
        let mut send =
            |from_plugin, sent, expected| self.send(transfers, from_plugin, sent, expected);
        let messages = if service == PLUGIN {
            [
                send(false, &of_runtime.input, &of_plugin.input),
                send(true, &of_plugin.output, &of_runtime.output),
            ]
        } else {
            [
                send(true, &of_plugin.input, &of_runtime.input),
                send(false, &of_runtime.output, &of_plugin.output),
            ]
        };
        RpcTransfer {
            service: service.to_owned(),
            name: of_plugin.name.clone(),
            streams_differ: streams(of_plugin) != streams(of_runtime),
            messages,
        }
    }

    /// Returns the transfer of a message from the plugin, or else to it.
    fn send(
        &self,
        transfers: &mut [Transfers<'s>; 2],
        from_plugin: bool,
        sent: &'s str,
        expected: &'s str,
    ) -> Message<'s> {
        let (sender, receiver) = self.ends_of(from_plugin);
        let types = [sender.relative(sent), receiver.relative(expected)];
        let declares = |side: &NriSide<'_>| types.iter().all(|name| side.message(name).is_some());
        let transfers = &mut transfers[usize::from(from_plugin)];
        Message {
            from_plugin,
            sent: types[0].to_owned(),
            expected: types[1].to_owned(),
            both_declare_both: declares(sender) && declares(receiver),
            parts: transfers.between(sent, expected),
            retyped: transfers.retyped(sent, expected),
        }
    }

    /// Lists every field and enum value that does not arrive as it was sent, each once, with its
    /// worst outcome. Fields sent by plugins come first, because they are parts of lost answers.
    pub(super) fn parts(&mut self, transfers: &[RpcTransfer<'_>]) {
        let messages = || transfers.iter().flat_map(|rpc| &rpc.messages);
        let sent = messages().filter(|message| message.from_plugin);
        let received = messages().filter(|message| !message.from_plugin);
        let mut items: Vec<PairingItem> = Vec::new();
        let mut index = HashMap::new();
        for message in sent.chain(received) {
            let parts =
                message.parts.iter().filter_map(|part| self.item_of(message.from_plugin, part));
            for item in parts.chain(message.retyped.iter().map(|field| self.retyped(field))) {
                let at = *index.entry(item.element.clone()).or_insert(items.len());
                match items.get_mut(at) {
                    Some(known) if known.outcome < item.outcome => *known = item,
                    Some(_) => {}
                    None => items.push(item),
                }
            }
        }
        self.items.extend(items);
    }

    /// Returns the outcome of a field whose messages are read as another type.
    fn retyped(&self, field: &Retyped<'_>) -> PairingItem {
        let outcome =
            if field.is_misread { PairingOutcome::Misreads } else { PairingOutcome::Loses };
        let [sent, read] = [field.sent, field.read].map(|name| self.plugin.side.relative(name));
        let detail = format!("sent as {sent}, read as {read}");
        item(ItemKind::Field, field.field, outcome, detail)
    }

    fn item_of(&self, from_plugin: bool, part: &Transfer<'_>) -> Option<PairingItem> {
        if from_plugin && self.is_mask(part) {
            return self.mask_item(part);
        }
        self.missing(from_plugin, part).or_else(|| self.item_of_part(from_plugin, part))
    }

    fn item_of_part(&self, from_plugin: bool, part: &Transfer<'_>) -> Option<PairingItem> {
        let unread = if from_plugin {
            "sent by the plugin, ignored by the runtime"
        } else {
            "sent by the runtime, unknown to the plugin"
        };
        let field =
            |name: &str, outcome, detail: &str| Some(item(ItemKind::Field, name, outcome, detail));
        match *part {
            Transfer::Read { sent, read, ref effect } => {
                let outcome = match effect.worst() {
                    Arrival::Same | Arrival::PresenceLost
                        if self.is_moved(from_plugin, sent, read) =>
                    {
                        return field(sent, PairingOutcome::Misreads, &misplaced(read, "field"));
                    }
                    Arrival::Same => return None,
                    Arrival::PresenceLost => PairingOutcome::LosesPresence,
                    Arrival::Altered | Arrival::Skipped => PairingOutcome::Misreads,
                    Arrival::Refused => PairingOutcome::Fails,
                };
                field(sent, outcome, &effect.reason)
            }
            // A plugin misses nothing that it was not built to read.
            Transfer::Unknown { sent } if self.is_more(sent) || !from_plugin => None,
            Transfer::Unknown { sent } => field(sent, PairingOutcome::Loses, unread),
            Transfer::Unfilled { read, required: true } => {
                let detail = "required by the receiver, unknown to the sender: a Go peer rejects the message";
                field(read, PairingOutcome::Fails, detail)
            }
            Transfer::Unfilled { read, .. } if from_plugin || self.is_more(read) => None,
            Transfer::Unfilled { read, .. } => {
                let detail = "read by the plugin, never filled by the runtime";
                field(read, PairingOutcome::Loses, detail)
            }
            // Events are judged separately.
            Transfer::UnknownValue { sent } | Transfer::OtherValue { sent, .. }
                if self.is_event(sent) =>
            {
                None
            }
            Transfer::OtherValue { sent, read } => {
                let detail = misplaced(read, "value");
                Some(item(ItemKind::EnumValue, sent, PairingOutcome::Misreads, detail))
            }
            Transfer::UnknownValue { sent } => {
                let detail = format!("{unread}: no value with this number there");
                Some(item(ItemKind::EnumValue, sent, PairingOutcome::Loses, detail))
            }
        }
    }

    /// Returns true if a field arrives in one with another name, although one of the sides has both
    /// names: the number belongs to different fields. A field that was merely renamed is the same
    /// on the wire.
    pub(super) fn is_moved(&self, from_plugin: bool, sent: &str, read: &str) -> bool {
        let (sender, receiver) = self.ends_of(from_plugin);
        let (Some((sent_in, sent)), Some((read_in, read))) =
            (sent.rsplit_once('.'), read.rsplit_once('.'))
        else {
            return false;
        };
        sent != read
            && (receiver.field(receiver.relative(read_in), sent).is_some()
                || sender.field(sender.relative(sent_in), read).is_some())
    }

    /// Returns the side of the sender and that of the receiver.
    pub(super) fn ends_of(&self, from_plugin: bool) -> (&NriSide<'_>, &NriSide<'_>) {
        if from_plugin {
            (self.plugin.side, self.runtime.side)
        } else {
            (self.runtime.side, self.plugin.side)
        }
    }

    fn is_event(&self, value: &str) -> bool {
        let sides = [self.plugin.side, self.runtime.side];
        sides.iter().any(|side| side.is_event(value))
    }

    /// Returns true if this is the field that splits Synchronize, which is judged separately.
    fn is_more(&self, field: &str) -> bool {
        let relative = self.plugin.side.relative(field);
        let parts = relative.rsplit_once('.');
        parts.is_some_and(|(message, name)| synchronize::is_more(message, name))
    }
}

impl Message<'_> {
    /// Returns the first field whose values can make the receiver reject the message.
    pub(super) fn refused(&self) -> Option<&str> {
        let is_refused = |part: &&Transfer<'_>| {
            let is_required = matches!(part, Transfer::Unfilled { required: true, .. });
            is_required || part.arrival() == Some(Arrival::Refused)
        };
        let (sent, read) = self.parts.iter().find(is_refused)?.ends();
        sent.or(read)
    }

    /// Returns true if the receiver interprets it as another message, with other content. A message
    /// that was merely renamed is the same on the wire.
    pub(super) fn is_another(&self) -> bool {
        self.sent != self.expected
            && self.parts.iter().any(|part| {
                let (sent, read) = part.ends();
                part.arrival().is_some_and(|arrival| {
                    arrival > Arrival::PresenceLost
                        || self.both_declare_both && sent.map(own_name) != read.map(own_name)
                })
            })
    }

    /// Returns true if it is read as another type, and its receiver misses a part of what it
    /// expects or what the plugin sent. A plugin misses nothing that it was not built to read.
    fn is_incomplete(&self) -> bool {
        self.sent != self.expected
            && self.parts.iter().any(|part| {
                matches!(part, Transfer::Unknown { .. }) && self.from_plugin
                    || matches!(part, Transfer::Unfilled { .. }) && !self.from_plugin
            })
    }
}

/// Describes an element that arrives as another one, which has its number.
fn misplaced(read: &str, what: &str) -> String {
    let name = crate::report::short(read);
    format!("arrives as `{name}`, because its number is that of another {what}")
}

/// Returns the name of an element without the names of those that contain it.
fn own_name(element: &str) -> &str {
    element.rsplit('.').next().unwrap_or(element)
}

impl RpcTransfer<'_> {
    /// Returns why the RPC does not work, if so: the outcome, with a description.
    pub(super) fn trouble(&self) -> Option<(PairingOutcome, String)> {
        if self.streams_differ {
            let detail = "a stream on one side, a single message on the other";
            return Some((PairingOutcome::Fails, detail.to_owned()));
        }
        let refused = self.messages.iter().find_map(|message| {
            let receiver = if message.from_plugin { "runtime" } else { "plugin" };
            let field = crate::report::short(message.refused()?);
            let expected = &message.expected;
            Some(format!("the {receiver} can fail to decode {expected} because of `{field}`"))
        });
        if let Some(detail) = refused {
            return Some((PairingOutcome::Fails, detail));
        }
        let as_another = |message: &Message<'_>| {
            format!("sent as {}, read as {}", message.sent, message.expected)
        };
        let mut messages = self.messages.iter();
        if let Some(misread) = messages.clone().find(|message| message.is_another()) {
            return Some((PairingOutcome::Misreads, as_another(misread)));
        }
        let incomplete = messages.find(|message| message.is_incomplete())?;
        Some((PairingOutcome::Loses, as_another(incomplete)))
    }
}

//! Fields with a meaning of their own: the subscription mask, and those that a peer refuses if they
//! are empty.

use nri_schema::model::Field;

use super::{Peers, item};
use crate::diff::nri::mask::{Masks, Relation};
use crate::diff::nri::semantics::Required;
use crate::diff::wire::{Arrival, Transfer};
use crate::report::pairing::{ItemKind, PairingItem, PairingOutcome};

impl Peers<'_> {
    /// Returns true if the part is the subscription mask on one of the sides.
    pub(super) fn is_mask(&self, part: &Transfer<'_>) -> bool {
        let masks = self.masks();
        let (sent, read) = part.ends();
        is_named(masks.one, sent) || is_named(masks.other, read)
    }

    /// Returns the outcome for the mask, unless the runtime reads the bits that the plugin sends.
    pub(super) fn mask_item(&self, part: &Transfer<'_>) -> Option<PairingItem> {
        let (outcome, detail) = match (self.masks().relation(), part) {
            (Relation::Absent | Relation::SameBits, _) => return None,
            (Relation::Retyped, Transfer::Read { effect, .. }) => match effect.worst() {
                Arrival::Refused => (PairingOutcome::Fails, effect.reason.as_str()),
                Arrival::Same | Arrival::PresenceLost | Arrival::Altered | Arrival::Skipped => {
                    (PairingOutcome::Misreads, "the peers have different types for it")
                }
            },
            (Relation::Retyped | Relation::Apart, _) => (
                PairingOutcome::Misreads,
                "does not arrive: the runtime reads 0, which is every event",
            ),
        };
        field(part, outcome, detail)
    }

    fn masks(&self) -> Masks<'_> {
        Masks::new(self.plugin.side, self.runtime.side)
    }

    /// Returns the outcome for a field that does not arrive although its receiver needs it.
    pub(super) fn missing(&self, from_plugin: bool, part: &Transfer<'_>) -> Option<PairingItem> {
        let required = self.required(from_plugin, part)?;
        let arrives = match part {
            Transfer::Read { effect, .. } => {
                let (sent, read) = part.ends();
                let is_moved = sent
                    .zip(read)
                    .is_some_and(|(sent, read)| self.is_moved(from_plugin, sent, read));
                effect.worst() <= Arrival::PresenceLost && !is_moved
            }
            Transfer::Unknown { .. } | Transfer::Unfilled { .. } => false,
            Transfer::UnknownValue { .. } | Transfer::OtherValue { .. } => true,
        };
        if arrives {
            return None;
        }
        field(part, required.outcome, required.consequence)
    }

    fn required(&self, from_plugin: bool, part: &Transfer<'_>) -> Option<&'static Required> {
        let (sender, receiver) = self.ends_of(from_plugin);
        let (sent, read) = part.ends();
        let of_sender = sent.and_then(|field| sender.requirement(field));
        of_sender.or_else(|| receiver.requirement(read?))
    }
}

/// Returns true if there is a field, and it has this full name.
fn is_named(field: Option<&Field>, full_name: Option<&str>) -> bool {
    field.is_some_and(|field| Some(field.full_name.as_str()) == full_name)
}

fn field(part: &Transfer<'_>, outcome: PairingOutcome, detail: &str) -> Option<PairingItem> {
    let (sent, read) = part.ends();
    Some(item(ItemKind::Field, sent.or(read)?, outcome, detail))
}

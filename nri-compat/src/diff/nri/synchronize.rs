//! Split Synchronize: the field `more` on both sides.

use nri_schema::model::{FieldKind, Label};

use super::semantics::{IN_PARTS, MORE};
use super::side::NriSide;
use super::{Context, Sink};
use crate::rules::ids;

/// Returns true if this field is the one that splits Synchronize.
pub(in crate::diff) fn is_more(message: &str, field: &str) -> bool {
    IN_PARTS.contains(&message) && field == MORE
}

/// Returns true if both request and response have `more`.
pub(in crate::diff) fn splits(side: &NriSide<'_>) -> bool {
    IN_PARTS.iter().all(|message| side.field(message, MORE).is_some())
}

/// Returns true if both sides have `more` in the same fields.
pub(in crate::diff) fn agree(one: &NriSide<'_>, other: &NriSide<'_>) -> bool {
    IN_PARTS
        .iter()
        .all(|message| more(one, message).is_some() && more(one, message) == more(other, message))
}

/// Returns the parts of the field `more` of a message that peers have to agree on.
fn more<'s>(side: &NriSide<'s>, message: &str) -> Option<(i32, &'s FieldKind, Label)> {
    let field = side.field(message, MORE)?;
    Some((field.number, &field.kind, field.label))
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink) {
    let had_any = IN_PARTS.iter().any(|message| cx.from.field(message, MORE).is_some());
    if !had_any && splits(&cx.to) {
        return added(cx, sink);
    }
    for message in IN_PARTS {
        broken(cx, message, sink);
    }
}

fn added(cx: &Context<'_>, sink: &mut Sink) {
    let Some(field) = cx.to.field(IN_PARTS[0], MORE) else {
        return;
    };
    let message = "Synchronize may come in parts: an older plugin does not answer `more` and is dropped on a node \
                   whose pods and containers exceed 4 MiB";
    sink.report_declared(ids::NRI_SYNC_SPLIT_ADDED, field, message.to_owned());
}

fn broken(cx: &Context<'_>, message: &str, sink: &mut Sink) {
    let (old, new) = (cx.from.field(message, MORE), cx.to.field(message, MORE));
    let what = match (old, new) {
        (Some(old), Some(new)) if old.number != new.number => {
            format!("moved from field {} to field {}", old.number, new.number)
        }
        (Some(old), Some(new)) if (&old.kind, old.label) != (&new.kind, new.label) => {
            "has another type".to_owned()
        }
        (Some(_), None) => "is gone".to_owned(),
        (None, Some(_)) => "is new on one side only".to_owned(),
        _ => return,
    };
    let at = match new {
        Some(new) => new.about.location.clone(),
        None => cx.to.message_place(message),
    };
    let element = cx.to.full(&format!("{message}.{MORE}"));
    let text =
        format!("`{MORE}` of {message} {what}: a split Synchronize drops the plugin or loses pods");
    sink.report(ids::NRI_SYNC_SPLIT_BROKEN, at, &element, text);
}

//! containerd's log in JSON, and its fields as collectors take them apart:
//! `{"level":"warning","msg":"…","plugin":"10-template","time":"…"}`.

use super::json::Object;
use super::{Around, Message, Peeled, Said};

/// An object with a `msg` is a message, and where it names no plugin, may be a line within a line.
pub(super) fn peel(object: &Object, around: &mut Around) -> Option<Peeled> {
    let text = object.text("msg")?;
    super::collector::around(object, around);
    let plugin = object.text("plugin");
    if plugin.is_none() {
        return Some(Peeled::Inner(text));
    }
    Some(Peeled::Said(Said::Message(Message {
        text,
        plugin,
        deprecated: object.text("deprecated"),
        details: object.text("details"),
    })))
}

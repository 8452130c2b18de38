//! `journalctl -o json`: an object with the line in `MESSAGE`, as text, or as bytes where journald would not call it
//! text.

use super::json::Object;
use super::{Around, Peeled};

pub(super) fn peel(object: &Object, around: &mut Around) -> Option<Peeled> {
    let message = object.text("MESSAGE")?;
    super::collector::around(object, around);
    around.time(object.text("__REALTIME_TIMESTAMP"));
    around.node(object.text("_HOSTNAME"));
    Some(Peeled::Inner(message))
}

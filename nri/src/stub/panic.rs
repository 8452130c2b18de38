//! A panic in a handler, as an error of that request.

use std::any::Any;

use crate::{Error, ErrorKind};

/// The error that tells of a panic.
pub(super) fn error(payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::with_kind(ErrorKind::Handler, format!("panicked: {text}"))
}

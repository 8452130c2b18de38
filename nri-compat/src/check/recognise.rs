//! Recognises files by their first bytes.

pub(super) mod compressed;
pub(super) mod unread;

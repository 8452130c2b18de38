//! Texts that many findings share. Reports have tens of thousands of findings, but few distinct
//! reasons.

use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// An immutable text whose copies share their bytes.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// The distinct texts and lists so far.
#[derive(Default)]
pub(crate) struct Pool {
    texts: HashSet<SharedText>,
    lists: HashSet<Arc<[String]>>,
}

impl Pool {
    /// Replaces the text with an equal one from the pool, if there is one; otherwise adds it.
    pub(crate) fn text(&mut self, text: &mut SharedText) {
        if let Some(known) = self.texts.get(text) {
            *text = known.clone();
        } else {
            self.texts.insert(text.clone());
        }
    }

    /// Replaces the list with an equal one from the pool, if there is one; otherwise adds it.
    pub(crate) fn list(&mut self, list: &mut Arc<[String]>) {
        if let Some(known) = self.lists.get(list) {
            *list = Arc::clone(known);
        } else {
            self.lists.insert(Arc::clone(list));
        }
    }
}

//! Texts that many findings share. Reports have tens of thousands of findings, but few distinct
//! reasons.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// The distinct texts and lists so far.
#[derive(Default)]
pub(crate) struct Pool {
    texts: HashSet<Arc<str>>,
    lists: HashSet<Arc<[String]>>,
}

impl Pool {
    /// Replaces the text with an equal one from the pool, if there is one; otherwise adds it.
    pub(crate) fn text(&mut self, text: &mut Arc<str>) {
        share(&mut self.texts, text);
    }

    /// Replaces the list with an equal one from the pool, if there is one; otherwise adds it.
    pub(crate) fn list(&mut self, list: &mut Arc<[String]>) {
        share(&mut self.lists, list);
    }
}

fn share<T: ?Sized + Eq + Hash>(known: &mut HashSet<Arc<T>>, value: &mut Arc<T>) {
    match known.get(value) {
        Some(equal) => *value = Arc::clone(equal),
        None => {
            known.insert(Arc::clone(value));
        }
    }
}

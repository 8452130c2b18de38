//! The types of a schema as seen from its files.

use std::collections::HashMap;

use super::ast::{Enum, Message, Set, Uid};

/// A type as seen from other files.
pub(super) struct Known {
    pub(super) full: String,
    pub(super) file: usize,
    /// First value of an enum, for defaults; messages have none.
    pub(super) values: Option<Vec<String>>,
    pub(super) extensions: Vec<(i32, i32)>,
}

/// Returns every message and enum.
pub(super) fn known(set: &Set) -> HashMap<Uid, Known> {
    let mut known = HashMap::new();
    for (file, declared) in set.files.iter().enumerate() {
        let mut names = Names { known: &mut known, file };
        names.enums(&declared.package, &declared.enums);
        names.messages(&declared.package, &declared.messages);
    }
    known
}

struct Names<'a> {
    known: &'a mut HashMap<Uid, Known>,
    file: usize,
}

impl Names<'_> {
    fn messages(&mut self, scope: &str, list: &[Message]) {
        for message in list {
            let full = format!("{scope}.{}", message.name);
            self.enums(&full, &message.enums);
            self.messages(&full, &message.messages);
            let extensions = message.extensions.clone();
            self.known
                .insert(message.uid, Known { full, file: self.file, values: None, extensions });
        }
    }

    fn enums(&mut self, scope: &str, list: &[Enum]) {
        for declared in list {
            let full = format!("{scope}.{}", declared.name);
            let values = Some(declared.values.iter().map(|(name, _)| name.clone()).collect());
            self.known.insert(
                declared.uid,
                Known { full, file: self.file, values, extensions: Vec::new() },
            );
        }
    }
}

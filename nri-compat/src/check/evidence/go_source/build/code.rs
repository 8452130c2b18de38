//! Determines the NRI release of a stub from its code, by the same sign as in binaries.

use std::path::Path;

use super::super::parse;
use super::super::tree::Tree;
use super::super::world::{MAX_FILE, is_not_imported, is_source};
use super::unknown;
use crate::facts::DEDICATED_RPCS;
use crate::sighting::Interface;

/// Returns the interface of a stub in a folder, and a sentence about it.
pub(super) fn of(tree: &dyn Tree, folder: &Path) -> (Interface, String) {
    match methods(tree, folder) {
        Err(why) => (
            unknown(format!("the code of its stub {why}")),
            format!("the stub {why}"),
        ),
        Ok(found) => {
            let has = DEDICATED_RPCS
                .iter()
                .filter(|name| found.iter().any(|one| one == *name))
                .count();
            let state_change = found.iter().any(|one| one == "StateChange");
            match (has, state_change) {
                (all, _) if all == DEDICATED_RPCS.len() => (
                    Interface::Dedicated,
                    "the stub answers the RPC of every event".to_owned(),
                ),
                (0, true) => (
                    Interface::StateChange,
                    "the stub answers StateChange only".to_owned(),
                ),
                _ => (
                    unknown("the code of its stub is unknown"),
                    format!(
                        "the stub answers {has} of {} dedicated RPCs",
                        DEDICATED_RPCS.len()
                    ),
                ),
            }
        }
    }
}

/// Returns the methods of the type `stub` in files that every build includes.
fn methods(tree: &dyn Tree, folder: &Path) -> Result<Vec<String>, String> {
    let names = tree.names(folder).ok_or("cannot be read")?;
    let mut found = Vec::new();
    for name in names.iter().filter(|name| is_source(name)) {
        let text = tree
            .read(&folder.join(name), MAX_FILE)
            .ok_or("cannot be read")?;
        let text = String::from_utf8(text).map_err(|_| "is not UTF-8".to_owned())?;
        let file = parse::parse(name, &text).ok_or("takes too long to parse")?;
        if file.error.is_some() {
            return Err("cannot be parsed".to_owned());
        }
        let methods = file
            .methods
            .into_iter()
            .filter(|method| method.receiver == "stub");
        if file.in_plain_build && !is_not_imported(&file.package) {
            found.extend(methods.map(|method| method.name));
        }
    }
    Ok(found)
}

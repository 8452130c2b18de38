//! Reads `deprecations.toml`.

use super::super::deprecation::{
    Deprecation, FILE, Interface, Removal, RemovalStatus, Since, Warning,
};
use super::table;
use crate::error::Error;

/// Reads the table.
pub(super) fn read(text: &str) -> Result<Vec<Deprecation>, Error> {
    table::read(FILE, text, |root| {
        root.only(&["deprecation"]);
        root.tables("deprecation").iter().map(deprecation).collect()
    })
}

fn deprecation(entry: &table::TableEntry<'_, '_>) -> Deprecation {
    entry.only(&[
        "id",
        "kind",
        "interface",
        "message",
        "summary",
        "deprecated_in",
        "warned_by",
        "removal",
        "replaced_by",
        "remedy",
        "sources",
    ]);
    Deprecation {
        id: entry.string("id"),
        interface: interface(entry),
        summary: entry.string("summary"),
        deprecated_in: entry.table("deprecated_in").as_ref().map(since).unwrap_or_default(),
        warned_by: entry.table("warned_by").as_ref().map(warning),
        removal: removal(entry),
        replaced_by: entry.table("replaced_by").map(|table| table.pairs()).unwrap_or_default(),
        remedy: entry.string("remedy"),
        sources: entry.strings("sources"),
        place: entry.span(),
    }
}

fn interface(entry: &table::TableEntry<'_, '_>) -> Interface {
    match entry.string("kind").as_str() {
        "rpc" => Interface::Rpc {
            rpc: entry.string("interface"),
            message: entry.string_if_any("message"),
        },
        "wasm" => Interface::Wasm { function: entry.string("interface") },
        "plugin" => Interface::Plugin,
        other => {
            entry.complain("kind", &format!("unknown kind `{other}`"));
            Interface::Plugin
        }
    }
}

/// Reads `nri` and runtime ids, and ignores the other keys of the table.
fn since(entry: &table::TableEntry<'_, '_>) -> Since {
    Since { nri: entry.string_if_any("nri"), runtimes: runtimes(entry) }
}

fn runtimes(entry: &table::TableEntry<'_, '_>) -> Vec<(String, String)> {
    let about = ["nri", "as", "status", "effect"];
    entry.pairs().into_iter().filter(|(key, _)| !about.contains(&key.as_str())).collect()
}

fn warning(entry: &table::TableEntry<'_, '_>) -> Warning {
    Warning { runtimes: runtimes(entry), id: entry.string("as") }
}

fn removal(entry: &table::TableEntry<'_, '_>) -> Removal {
    let Some(table) = entry.table("removal") else {
        entry.complain("removal", "`removal` is missing");
        return Removal { status: RemovalStatus::Planned, when: Since::default(), effect: None };
    };
    let status = match table.string("status").as_str() {
        "planned" => RemovalStatus::Planned,
        "done" => RemovalStatus::Done,
        other => {
            table.complain("status", &format!("unknown status `{other}`"));
            RemovalStatus::Planned
        }
    };
    Removal { status, when: since(&table), effect: table.string_if_any("effect") }
}

//! Reads any text as the answers of a module proxy: as the list of releases of a runtime, and as
//! `go.mod` and description of one of them. New tables are valid, whatever the proxy says.

use std::path::Path;
use std::sync::OnceLock;

use nri_schema::history::{History, Tables};
use nri_compat::update::{Limits, Proxies, update};

const MODULE: &str = "github.com/containerd/containerd/v2/@v";

/// Runs the target once.
pub(crate) fn run(input: (&str, &str, &str)) {
    let (list, module, info) = input;
    let folder = folder().join(MODULE);
    let files = [
        ("list", format!("v2.99.0\n{list}")),
        ("v2.99.0.mod", module.to_owned()),
        ("v2.99.0.info", info.to_owned()),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a temporary file can be written");
    }
    let proxies = format!("file://{}", self::folder().display());
    let limits = Limits {
        attempts: 1,
        ..Limits::default()
    };
    let proxies = Proxies::parse(&proxies, &limits).expect("the list is valid");
    if let Ok(update) = update(Tables::embedded(), &proxies) {
        let history = History::from_tables(update.tables).expect("they fit together");
        history.check().expect("they are valid");
    }
}

fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            std::fs::create_dir_all(folder.path().join(MODULE)).expect("a folder can be made");
            folder
        })
        .path()
}

//! The table of runtimes in `nri` is the one that is generated.

use std::path::Path;

use nri_codegen::{History, emit};

/// `NRI_WRITE_GENERATED=1` writes it.
#[test]
fn the_table_of_runtimes_is_as_generated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nri/src/stub/runtime/releases.rs");
    let history = History::embedded().expect("the tables are readable");
    let generated = emit::runtimes(&history).expect("the runtimes are readable");
    if std::env::var_os("NRI_WRITE_GENERATED").is_some() {
        std::fs::write(&path, &generated).expect("is writable");
    }
    let committed = std::fs::read_to_string(&path).expect("is readable");
    assert!(
        committed == generated,
        "{} is not what is generated; help: run this test with NRI_WRITE_GENERATED=1",
        path.display()
    );
}

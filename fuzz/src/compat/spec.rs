//! Resolves any text as FROM of `diff`, and any as `-I`, in a folder with two protos and without a
//! git repository: an input or an error, never a panic.

use std::sync::OnceLock;

use nri_compat::diff::Input;
use nri_schema::compile::Imports;
use nri_schema::history::History;

const PROTO: &str =
    "syntax = \"proto3\";\npackage a;\nimport \"b/b.proto\";\nmessage A { b.B b = 1; }\n";
const IMPORTED: &str = "syntax = \"proto3\";\npackage b;\nmessage B {}\n";

/// Runs the target once.
pub(crate) fn run(input: (&str, &str)) {
    let (spec, folder) = input;
    // Standard input never ends here, and paths may only name files of the folder.
    if spec == "-" || [spec, folder].iter().any(|text| text.contains("..") || text.contains('/')) {
        return;
    }
    let mut imports = Imports::new();
    imports.add(folder);
    match Input::resolve(history(), spec, &imports) {
        Ok(resolved) => assert_eq!(resolved.spec, spec),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Returns the history, and enters the folder before that.
fn history() -> &'static History {
    static HISTORY: OnceLock<(tempfile::TempDir, History)> = OnceLock::new();
    let (_, history) = HISTORY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir_all(folder.path().join("lib/b")).expect("a folder can be made");
        std::fs::write(folder.path().join("a.proto"), PROTO).expect("a file can be written");
        std::fs::write(folder.path().join("lib/b/b.proto"), IMPORTED)
            .expect("a file can be written");
        std::env::set_current_dir(folder.path()).expect("the folder exists");
        (folder, History::embedded().expect("the tables fit together"))
    });
    history
}

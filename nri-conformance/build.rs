//! Lists the files of the contract, so that a statement is added by writing its file.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=contract");
    let root = variable("CARGO_MANIFEST_DIR")?;
    let mut table = String::from("const FILES: &[(&str, &str)] = &[\n");
    for id in ids(&root.join("contract"))? {
        let file = root.join("contract").join(format!("{id}.toml"));
        let _ = writeln!(table, "    ({id:?}, include_str!({file:?})),");
    }
    table.push_str("];\n");
    fs::write(variable("OUT_DIR")?.join("contract.rs"), table)
}

/// Returns the name of each file, without its extension.
fn ids(folder: &Path) -> io::Result<Vec<String>> {
    let mut ids = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let id = path.file_stem().and_then(|name| name.to_str());
        ids.extend(id.map(str::to_owned));
    }
    ids.sort();
    Ok(ids)
}

fn variable(name: &str) -> io::Result<PathBuf> {
    let missing = || io::Error::other(format!("cargo sets {name}"));
    env::var_os(name).map(PathBuf::from).ok_or_else(missing)
}

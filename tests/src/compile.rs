//! Proto files to schemas, with imports and source information.

use std::path::{Path, PathBuf};

use nri_compat::diff;
use nri_schema::Schema;

/// Compiles every `.proto` file below a folder, in the order of their names, to a schema.
///
/// # Errors
///
/// Returns the errors of protox or of the schema's checks, and an error if the folder is empty or
/// cannot be read.
pub fn folder(root: &Path) -> Result<Schema, String> {
    let compiler = compiler(root)?;
    let text = |name: &str| {
        let mut sources = compiler.files().filter(|file| file.name() == name);
        std::fs::read_to_string(sources.next()?.path()?).ok()
    };
    let schema = Schema::of_pool(&compiler.descriptor_pool()).map_err(|error| error.to_string())?;
    Ok(diff::adjusted(schema, text))
}

/// Returns the same as an encoded descriptor set.
///
/// # Errors
///
/// Returns the errors of [`folder`].
pub fn set(root: &Path) -> Result<Vec<u8>, String> {
    Ok(compiler(root)?.encode_file_descriptor_set())
}

fn compiler(root: &Path) -> Result<protox::Compiler, String> {
    let mut files = Vec::new();
    collect(root, &mut files).map_err(|error| format!("{}: {error}", root.display()))?;
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no .proto files", root.display()));
    }
    let mut compiler = protox::Compiler::new([root]).map_err(|error| format!("{error:?}"))?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(files).map_err(|error| format!("{error:?}"))?;
    Ok(compiler)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    Ok(())
}

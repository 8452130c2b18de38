//! Reads any bytes as the files of a Go package on disk, with its module file, and resolves it
//! without a panic.

use std::fs;

use nri_compat::check::collect::{Request, collect};
use nri_compat::check::evidence::READERS;

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    // Files are separated by a byte that no Go file has.
    let names = ["main.go", "go.mod", "base/base.go", "go.work", "vendor/modules.txt"];
    for (name, part) in names.iter().zip(bytes.split(|byte| *byte == 0)) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, part).expect("a file");
    }
    let request =
        Request { paths: vec![folder.path().to_owned()], threads: 1, ..Request::default() };
    let _ = collect(&request, READERS);
}

//! What the user named: files, pipes, standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::read_with;
use crate::check::collect::Collected;
use crate::check::progress::Progress;
use crate::check::skipped::{Skipped, Unreadable};

/// Stands for standard input among paths.
const STDIN: &str = "-";

/// How standard input is shown.
const STDIN_SHOWN: &str = "<stdin>";

/// Reads logs one after the other. One that cannot be read does not stop the rest.
pub fn read_logs(paths: &[PathBuf], progress: Option<&Progress>) -> Collected {
    let start = Instant::now();
    let mut collected = Collected::default();
    for path in paths {
        add(&mut collected, path, progress);
    }
    let summary = &mut collected.summary;
    summary.skipped = collected.skipped.len() as u64;
    summary.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    collected
}

fn add(collected: &mut Collected, path: &Path, progress: Option<&Progress>) {
    let shown = shown(path);
    collected.summary.looked_at.push(shown.clone());
    match open(path, progress) {
        Ok(mut input) => {
            let log = read_with(&shown.as_str().into(), &mut *input, progress);
            collected.summary.files += 1;
            collected.summary.bytes += log.bytes;
            collected.sightings.extend(log.sightings);
            collected.skipped.extend(log.skipped);
        }
        Err(error) => {
            if error.kind() == io::ErrorKind::NotFound {
                collected.missing.push(shown.clone());
            }
            let reason = format!("cannot be read: {error}");
            let kind = Unreadable::from(&error).kind;
            collected.skipped.push(Skipped::new(shown, kind, reason));
        }
    }
}

fn shown(path: &Path) -> String {
    match path == Path::new(STDIN) {
        true => STDIN_SHOWN.to_owned(),
        false => path.to_string_lossy().into_owned(),
    }
}

fn open(path: &Path, progress: Option<&Progress>) -> io::Result<Box<dyn Read>> {
    if let Some(progress) = progress {
        progress.file();
    }
    if path == Path::new(STDIN) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if let Some(progress) = progress.filter(|_| metadata.is_file()) {
        progress.expect(metadata.len());
    }
    Ok(Box::new(file))
}

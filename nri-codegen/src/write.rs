//! Writes files: all of them or none, and only changed ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nri_schema::{Error, ErrorKind, Problem};

/// Returns the name of a release as part of a Rust name: `v0_11_0` for `v0.11.0`.
pub fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// A file under a temporary name, and the file that it will replace.
struct Staged {
    target: PathBuf,
    waiting: PathBuf,
    before: Option<Vec<u8>>,
}

/// Writes every changed file, or none.
///
/// # Errors
///
/// Returns an error if a file cannot be written; in that case all files are unchanged.
pub fn all(files: &[(PathBuf, impl AsRef<[u8]>)]) -> Result<(), Error> {
    let mut staged = Vec::new();
    for (path, content) in files {
        match stage(path, content.as_ref()) {
            Ok(file) => staged.extend(file),
            Err(problem) => {
                discard(&staged);
                return Err(problem.into());
            }
        }
    }
    for (done, file) in staged.iter().enumerate() {
        if let Err(error) = fs::rename(&file.waiting, &file.target) {
            let (renamed, waiting) = staged.split_at(done);
            restore(renamed);
            discard(waiting);
            return Err(cannot(&file.target, error).into());
        }
    }
    Ok(())
}

/// Writes the content next to `target`, unless it is already there.
fn stage(target: &Path, content: &[u8]) -> Result<Option<Staged>, Problem> {
    let before = match fs::read(target) {
        Ok(before) if before == content => return Ok(None),
        Ok(before) => Some(before),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(cannot(target, error)),
    };
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let waiting = folder.join(format!(".{name}.{}.new", std::process::id()));
    let written = fs::write(&waiting, content);
    let staged = Staged { target: target.to_path_buf(), waiting, before };
    match written {
        Ok(()) => Ok(Some(staged)),
        Err(error) => {
            discard(std::slice::from_ref(&staged));
            Err(cannot(target, error))
        }
    }
}

// Both clean up after an error that is already reported; a failure here changes nothing.

fn discard(staged: &[Staged]) {
    for file in staged {
        let _ = fs::remove_file(&file.waiting);
    }
}

fn restore(replaced: &[Staged]) {
    for file in replaced {
        let _ = match &file.before {
            Some(before) => fs::write(&file.target, before),
            None => fs::remove_file(&file.target),
        };
    }
}

fn cannot(path: &Path, error: io::Error) -> Problem {
    Problem::new(ErrorKind::Io, format!("cannot write `{}`", path.display())).caused_by(error)
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn what_is_unchanged_is_not_touched_and_nothing_is_left_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/a.rs");
        let files = [(path.clone(), "one".to_owned())];
        super::all(&files).unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options().append(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        super::all(&files).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), long_ago);
        assert_eq!(fs::read_dir(folder.path().join("sub")).unwrap().count(), 1);
    }

    #[test]
    fn if_one_cannot_be_written_none_is() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new, taken) =
            (folder.path().join("old"), folder.path().join("new"), folder.path().join("taken"));
        fs::write(&old, "before").unwrap();
        // A folder cannot be replaced by a file: staging only succeeds for targets that are missing
        // or files.
        fs::create_dir(&taken).unwrap();
        let files = [
            (old.clone(), "after".to_owned()),
            (new.clone(), "x".to_owned()),
            (taken, "x".to_owned()),
        ];
        let error = super::all(&files).unwrap_err();
        assert!(error.to_string().starts_with("cannot write"), "{error}");
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        assert!(!new.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}

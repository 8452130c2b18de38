//! The history as it lies in a checkout, for the binary that edits it: the same files, not yet embedded.

use std::path::{Path, PathBuf};

use super::{History, Texts, deprecation, release, runtime};
use crate::compile::files;
use crate::error::{Error, ErrorKind, Problem};

impl Texts {
    /// Reads the tables in `folder`, and every proto in its `api` folder.
    pub(crate) fn read(folder: &Path) -> Result<Texts, Error> {
        Ok(Texts {
            versions: text(&folder.join(release::FILE))?.into(),
            runtimes: text(&folder.join(runtime::FILE))?.into(),
            deprecations: text(&folder.join(deprecation::FILE))?.into(),
            protos: protos(&folder.join("api"))?,
        })
    }
}

impl History {
    /// Reads the history that lies in `folder`, the package `nri-protos`.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or a table is malformed.
    pub fn read(folder: &Path) -> Result<History, Error> {
        History::from_texts(Texts::read(folder)?)
    }
}

type Proto = (String, std::borrow::Cow<'static, str>);

fn protos(api: &Path) -> Result<Vec<Proto>, Error> {
    let mut protos = Vec::new();
    for (name, is_folder) in files::list(api)? {
        if is_folder {
            let proto = text(&proto_path(api, &name))?;
            protos.push((name, proto.into()));
        }
    }
    protos.sort();
    Ok(protos)
}

/// Where the proto of a revision lies in the folder `api`.
pub(crate) fn proto_path(api: &Path, revision: &str) -> PathBuf {
    api.join(revision).join("api.proto")
}

fn text(path: &Path) -> Result<String, Error> {
    let bytes = files::read(path, files::MAX_FILE)?;
    String::from_utf8(bytes).map_err(|error| {
        Problem::new(ErrorKind::Io, "not valid UTF-8")
            .in_file(path.display().to_string())
            .caused_by(error)
            .into()
    })
}

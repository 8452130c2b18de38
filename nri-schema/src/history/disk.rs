//! The tables as files: embedded in `nri-protos`, or in a folder with the same layout.

use std::path::{Path, PathBuf};

use super::{Proto, Tables, deprecation, distribution, release, runtime};
use crate::compile::files;
use crate::error::{Error, ErrorKind, Problem};

impl Tables {
    /// Returns the tables and protos that `nri-protos` embeds.
    pub fn embedded() -> Tables {
        let protos = nri_protos::REVISIONS.iter();
        Tables {
            versions: nri_protos::VERSIONS_TOML.into(),
            runtimes: nri_protos::RUNTIMES_TOML.into(),
            distributions: nri_protos::DISTRIBUTIONS_TOML.into(),
            deprecations: nri_protos::DEPRECATIONS_TOML.into(),
            protos: protos.map(Proto::embedded).collect(),
        }
    }

    /// Reads `versions.toml`, `runtimes.toml` and `deprecations.toml` in `folder`, every
    /// `api/REVISION/api.proto`, and `distributions.toml` if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the other files is missing, cannot be read or is not UTF-8.
    pub fn read(folder: &Path) -> Result<Tables, Error> {
        Ok(Tables {
            versions: text(&folder.join(release::FILE))?.into(),
            runtimes: text(&folder.join(runtime::FILE))?.into(),
            distributions: text_if_any(&folder.join(distribution::FILE))?.into(),
            deprecations: text(&folder.join(deprecation::FILE))?.into(),
            protos: protos(&folder.join("api"))?,
        })
    }

    /// Returns every file with its path below `folder`, as [`Tables::read`] reads it.
    pub fn files(&self, folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let tables = [
            (release::FILE, &self.versions),
            (runtime::FILE, &self.runtimes),
            (distribution::FILE, &self.distributions),
            (deprecation::FILE, &self.deprecations),
        ]
        .map(|(name, text)| (folder.join(name), text.as_bytes().to_vec()));
        let protos = self.protos.iter().map(|proto| {
            let path = proto_path(&folder.join("api"), &proto.revision);
            (path, proto.text.as_bytes().to_vec())
        });
        tables.into_iter().chain(protos).collect()
    }
}

fn protos(api: &Path) -> Result<Vec<Proto>, Error> {
    let mut protos = Vec::new();
    let mut total = 0;
    for (name, is_folder) in files::list(api)? {
        if is_folder {
            let path = proto_path(api, &name);
            let text = utf_8(files::read_proto(&path, &mut total)?, &path)?;
            protos.push(Proto::from_text(name, text));
        }
    }
    protos.sort_by(|a, b| a.revision.cmp(&b.revision));
    Ok(protos)
}

fn proto_path(api: &Path, revision: &str) -> PathBuf {
    api.join(revision).join("api.proto")
}

/// Returns an empty text for a missing file.
fn text_if_any(path: &Path) -> Result<String, Error> {
    if path.exists() { text(path) } else { Ok(String::new()) }
}

fn text(path: &Path) -> Result<String, Error> {
    utf_8(files::read(path, files::MAX_TABLE)?, path)
}

fn utf_8(bytes: Vec<u8>, path: &Path) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        Problem::new(ErrorKind::Io, "not valid UTF-8")
            .in_file(path.display().to_string())
            .caused_by(error)
            .into()
    })
}

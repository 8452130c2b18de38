//! What the user named as FROM or TO, compiled and described.

use std::path::Path;

use nri_codegen::history::{History, Release};
use nri_codegen::{Compiled, Protocol, source};

use super::target::Target;
use super::{Schema, facts::Facts};
use crate::error::{Error, ErrorKind};
use crate::report::diff::Side;

/// One end of a comparison.
#[derive(Debug)]
pub struct Input {
    /// As the user named it.
    pub spec: String,
    /// Its descriptors, for the protobuf rules.
    pub schema: Schema,
    /// Its model, for what NRI makes of it.
    pub protocol: Protocol,
    /// The runtime release it was named by.
    pub target: Option<Target>,
    release: Option<Release>,
    origin: String,
}

impl Input {
    /// Compiles what `spec` names.
    ///
    /// # Errors
    ///
    /// An unknown version lists near ones; a proto that does not compile shows file, line and the offending text.
    pub fn resolve(history: &History, spec: &str) -> Result<Self, Error> {
        let compiled = source::resolve_in(history, spec)?;
        let release = compiled.release.as_ref();
        let revision = release
            .map(|release| history.revision_of(release))
            .transpose()?;
        let mut input = Self {
            spec: spec.to_owned(),
            schema: schema(&compiled)?,
            protocol: match revision {
                Some(revision) => revision.protocol()?.clone(),
                None => Protocol::read(&compiled),
            },
            target: None,
            release: compiled.release,
            origin: compiled.origin,
        };
        if spec.contains('@') && input.release.is_some() {
            let at = history.runtime(spec)?;
            let (runtime, version) = (at.runtime.id.clone(), at.release.version.clone());
            input.target = Some(Target { runtime, version });
        }
        Ok(input)
    }

    /// What it is called in reports: the NRI release, or else the path.
    pub(super) fn name(&self) -> &str {
        self.release
            .as_ref()
            .map_or(&self.origin, |release| &release.name)
    }

    pub(super) fn side(&self, history: &History, facts: &Facts<'_>) -> Side {
        let release = self.release.as_ref();
        let revision = release.map(|release| release.revision.as_str());
        let releases = history.releases().iter();
        let same = releases.filter(|known| Some(known.revision.as_str()) == revision);
        Side {
            input: self.spec.clone(),
            name: self.name().to_owned(),
            revision: revision.map(str::to_owned),
            date: release.map(|release| release.date.clone()),
            releases: same.map(|known| known.name.clone()).collect(),
            runtimes: revision
                .map(|revision| facts.shipping(|known| known == revision))
                .unwrap_or_default(),
            is_nri: self.protocol.nri.is_some(),
        }
    }
}

/// The descriptors with the places that buf prints, for which it takes the texts that they were compiled from.
fn schema(compiled: &Compiled) -> Result<Schema, Error> {
    if let ([path], true) = (compiled.read.as_slice(), compiled.texts.is_empty()) {
        // A set is taken as it is: the descriptors of `compiled` lack what their types do not know.
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        return Ok(Schema::decode(&bytes)?);
    }
    let text = |name: &str| compiled.texts.get(name).cloned();
    Ok(Schema::compiled(&compiled.pool.encode_to_vec(), text)?)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Schema,
        format!("cannot read {}: {error}", path.display()),
    )
}

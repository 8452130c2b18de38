//! One revision of the protocol: its proto, descriptors and model.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::compile::{self, Compiled};
use crate::error::Error;
use crate::model::Protocol;
use crate::schema::Schema;

/// The file name of the proto of a revision in descriptors and errors.
const FILE: &str = "api.proto";

/// The proto of one revision, as a [`Tables`](super::Tables) holds it.
#[derive(Clone, Debug)]
pub struct Proto {
    /// The name of the revision.
    pub revision: String,
    /// Its text, comments included.
    pub text: Cow<'static, str>,
    /// The compiled text, if its descriptors are embedded; otherwise it is compiled on first use.
    descriptors: Option<&'static [u8]>,
}

impl Proto {
    /// Returns the proto of a revision that is compiled from its text.
    pub fn from_text(revision: impl Into<String>, text: impl Into<Cow<'static, str>>) -> Proto {
        Proto { revision: revision.into(), text: text.into(), descriptors: None }
    }

    pub(super) fn embedded(revision: &nri_protos::Revision) -> Proto {
        Proto {
            revision: revision.name.to_owned(),
            text: revision.proto.into(),
            descriptors: Some(revision.descriptors),
        }
    }
}

/// A protocol revision: a proto, and its declarations.
#[derive(Debug)]
pub struct Revision {
    proto: Proto,
    compiled: OnceLock<Compiled>,
    protocol: OnceLock<Protocol>,
    schema: OnceLock<Schema>,
}

impl Revision {
    pub(super) fn new(proto: Proto) -> Revision {
        Revision {
            proto,
            compiled: OnceLock::new(),
            protocol: OnceLock::new(),
            schema: OnceLock::new(),
        }
    }

    /// Returns its name, which is that of its first release.
    pub fn name(&self) -> &str {
        &self.proto.revision
    }

    /// Returns its proto, with comments.
    pub fn proto(&self) -> &str {
        &self.proto.text
    }

    /// Returns its descriptors: an encoded `FileDescriptorSet` with source info.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Revision::compiled`].
    pub fn descriptors(&self) -> Result<Cow<'static, [u8]>, Error> {
        Ok(match self.proto.descriptors {
            Some(descriptors) => descriptors.into(),
            None => self.compiled()?.pool.encode_to_vec().into(),
        })
    }

    /// Returns its resolved descriptors, read or compiled on first use.
    ///
    /// # Errors
    ///
    /// Returns an error if the proto does not compile. Those that this crate embeds always do.
    pub fn compiled(&self) -> Result<&Compiled, Error> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let text = self.proto();
        let mut compiled = match self.proto.descriptors {
            Some(descriptors) => compile::precompiled(FILE, text, descriptors)?,
            None => compile::text(FILE, text)?,
        };
        compiled.origin = self.name().to_owned();
        Ok(self.compiled.get_or_init(|| compiled))
    }

    /// Returns its schema, which is decoded on first use.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Revision::compiled`].
    pub fn schema(&self) -> Result<&Schema, Error> {
        if let Some(schema) = self.schema.get() {
            return Ok(schema);
        }
        let schema = self.to_schema()?;
        Ok(self.schema.get_or_init(|| schema))
    }

    /// Returns a new schema, which the caller may change.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Revision::compiled`].
    pub fn to_schema(&self) -> Result<Schema, Error> {
        match self.proto.descriptors {
            Some(descriptors) => Schema::decode(descriptors),
            None => Schema::of_pool(&self.compiled()?.pool),
        }
    }

    /// Returns its model, which is built on first use.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Revision::compiled`].
    pub fn protocol(&self) -> Result<&Protocol, Error> {
        let schema = self.schema()?;
        let protocol = || Protocol::of_schema(schema);
        Ok(self.protocol.get_or_init(protocol))
    }
}

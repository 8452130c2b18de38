//! The names that an encoded descriptor set declares, for questions about many revisions: reading a whole model takes 30
//! times as long, mostly for comments and places.

use protox::prost::bytes::Bytes;
use protox::prost::{self, Message as _};

use crate::error::{Error, ErrorKind, Problem};

/// The names in a `FileDescriptorSet`, as slices of it.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
pub(crate) struct Outline {
    #[prost(message, repeated, tag = "1")]
    file: Vec<File>,
}

#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct File {
    #[prost(bytes = "bytes", tag = "2")]
    package: Bytes,
    #[prost(message, repeated, tag = "4")]
    messages: Vec<Message>,
    #[prost(message, repeated, tag = "5")]
    enums: Vec<Group>,
    #[prost(message, repeated, tag = "6")]
    services: Vec<Group>,
}

#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct Message {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
    #[prost(message, repeated, tag = "2")]
    fields: Vec<NamedMember>,
    #[prost(message, repeated, tag = "3")]
    messages: Vec<Message>,
    #[prost(message, repeated, tag = "4")]
    enums: Vec<Group>,
}

/// An enum with its values, or a service with its RPCs.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct Group {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
    #[prost(message, repeated, tag = "2")]
    members: Vec<NamedMember>,
}

#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct NamedMember {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
}

impl Outline {
    /// Decodes an encoded `FileDescriptorSet`.
    pub(crate) fn read(set: Bytes) -> Result<Outline, Error> {
        Outline::decode(set).map_err(|error| {
            let problem = Problem::new(ErrorKind::Descriptor, "not a FileDescriptorSet");
            problem.caused_by(error).into()
        })
    }

    /// Returns true if a service, RPC, message, field, enum or enum value (as `pkg.Enum.VALUE`)
    /// with this full name is declared.
    pub(crate) fn declares(&self, full_name: &str) -> bool {
        self.file.iter().any(|file| file.declares(full_name))
    }
}

impl File {
    fn declares(&self, full_name: &str) -> bool {
        let path = if self.package.is_empty() {
            Some(full_name)
        } else {
            within(full_name, &self.package)
        };
        path.is_some_and(|path| {
            self.messages.iter().any(|message| message.declares(path))
                || self.enums.iter().any(|group| group.declares(path))
                || self.services.iter().any(|group| group.declares(path))
        })
    }
}

impl Message {
    fn declares(&self, path: &str) -> bool {
        within(path, &self.name).is_some_and(|rest| {
            rest.is_empty()
                || self.fields.iter().any(|field| field.name == rest)
                || self.messages.iter().any(|message| message.declares(rest))
                || self.enums.iter().any(|group| group.declares(rest))
        })
    }
}

impl Group {
    fn declares(&self, path: &str) -> bool {
        within(path, &self.name).is_some_and(|rest| {
            rest.is_empty() || self.members.iter().any(|member| member.name == rest)
        })
    }
}

/// Returns the part of `path` below `scope`: nothing if it is `scope` itself, `None` if it is elsewhere.
fn within<'p>(path: &'p str, scope: &[u8]) -> Option<&'p str> {
    let rest = path.strip_prefix(std::str::from_utf8(scope).ok()?)?;
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_prefix('.')
    }
}

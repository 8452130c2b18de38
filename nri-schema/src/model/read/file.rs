//! The part of a file's descriptor that the model needs.

use prost_types::{
    DescriptorProto, EnumDescriptorProto, FileDescriptorProto, ServiceDescriptorProto,
};
use protox::prost::bytes::Bytes;
use protox::prost::{self, Message as _};

use crate::error::{Error, ErrorKind, Problem};

/// A `FileDescriptorSet`.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
struct FileSet {
    #[prost(message, repeated, tag = "1")]
    file: Vec<File>,
}

/// A `FileDescriptorProto` whose source info is still encoded: most of it is about parts that the
/// model does not have.
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "prost")]
pub(super) struct File {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) package: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) message_type: Vec<DescriptorProto>,
    #[prost(message, repeated, tag = "5")]
    pub(super) enum_type: Vec<EnumDescriptorProto>,
    #[prost(message, repeated, tag = "6")]
    pub(super) service: Vec<ServiceDescriptorProto>,
    #[prost(bytes = "bytes", tag = "9")]
    pub(super) source_code_info: Bytes,
}

impl File {
    /// Returns the part of a descriptor.
    pub(super) fn of(file: &FileDescriptorProto) -> File {
        let source = file.source_code_info.as_ref();
        File {
            name: file.name().to_owned(),
            package: file.package().to_owned(),
            message_type: file.message_type.clone(),
            enum_type: file.enum_type.clone(),
            service: file.service.clone(),
            source_code_info: source
                .map(|info| info.encode_to_vec().into())
                .unwrap_or_default(),
        }
    }
}

/// Decodes a `FileDescriptorSet`.
pub(super) fn of_set(set: &[u8]) -> Result<Vec<File>, Error> {
    let set = FileSet::decode(Bytes::copy_from_slice(set)).map_err(|error| {
        Error::from(Problem::new(ErrorKind::Descriptor, "not a FileDescriptorSet").caused_by(error))
    })?;
    Ok(set.file)
}

//! Encoded descriptor sets, read whole or without their source info.

use prost_types::{
    DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    ServiceDescriptorProto,
};
use protox::prost::{self, Message};

use crate::error::{Error, ErrorKind, Problem};

/// The declarations of the files in a set. Comments and places, most of a set's size, are skipped.
#[derive(Clone, PartialEq, Message)]
#[prost(prost_path = "prost")]
struct Declarations {
    #[prost(message, repeated, tag = "1")]
    file: Vec<FileDeclarations>,
}

#[derive(Clone, PartialEq, Message)]
#[prost(prost_path = "prost")]
struct FileDeclarations {
    #[prost(string, optional, tag = "2")]
    package: Option<String>,
    #[prost(message, repeated, tag = "4")]
    message_type: Vec<DescriptorProto>,
    #[prost(message, repeated, tag = "5")]
    enum_type: Vec<EnumDescriptorProto>,
    #[prost(message, repeated, tag = "6")]
    service: Vec<ServiceDescriptorProto>,
}

/// Returns the files of a set.
pub(super) fn files(set: &[u8]) -> Result<Vec<FileDescriptorProto>, Error> {
    Ok(decode::<FileDescriptorSet>(set)?.file)
}

/// Returns the files of a set, with nothing but what they declare.
pub(super) fn declarations(set: &[u8]) -> Result<Vec<FileDescriptorProto>, Error> {
    let files = decode::<Declarations>(set)?.file.into_iter();
    let file = |file: FileDeclarations| FileDescriptorProto {
        package: file.package,
        message_type: file.message_type,
        enum_type: file.enum_type,
        service: file.service,
        ..FileDescriptorProto::default()
    };
    Ok(files.map(file).collect())
}

fn decode<M: Message + Default>(set: &[u8]) -> Result<M, Error> {
    M::decode(set).map_err(|error| {
        Problem::new(ErrorKind::Descriptor, "not a FileDescriptorSet")
            .caused_by(error)
            .into()
    })
}

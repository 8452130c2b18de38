//! The files to generate from: the requested package, and the types that it uses in other packages.

use std::collections::{BTreeSet, HashMap};

use prost_build::Module;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto};

use super::{aliases, source_info};
use nri_schema::compile::Compiled;
use nri_schema::{Error, ErrorKind, Problem};

/// Descriptors in a form that prost-build accepts.
pub(super) struct Schema<'s> {
    package: &'s str,
    files: Vec<FileDescriptorProto>,
    is_nested: bool,
}

impl<'s> Schema<'s> {
    /// Selects the files of `package`, and every file that declares a type they need.
    ///
    /// # Errors
    ///
    /// Returns an error if a file uses an edition, which prost does not support.
    pub(super) fn new(compiled: &Compiled, package: &'s str) -> Result<Self, Error> {
        let all: Vec<&FileDescriptorProto> = compiled.pool.file_descriptor_protos().collect();
        let needed = needed(&all, package);
        let mut files: Vec<_> = all
            .into_iter()
            .filter(|file| needed.contains(file.name()))
            .cloned()
            .map(prepared)
            .collect();
        aliases::resolve(&mut files);
        Error::unless_empty(files.iter().filter_map(unknown_syntax).collect())?;
        Ok(Schema { package, is_nested: files.iter().any(|file| file.package() != package), files })
    }

    /// Returns the requested package.
    pub(super) fn package(&self) -> &'s str {
        self.package
    }

    pub(super) fn files(&self) -> &[FileDescriptorProto] {
        &self.files
    }

    /// Returns true if there are several packages, so that each needs a separate module.
    pub(super) fn is_nested(&self) -> bool {
        self.is_nested
    }

    /// Services of the package, each as a file and the index of the service in it.
    pub(super) fn services(&self) -> impl Iterator<Item = (&FileDescriptorProto, usize)> {
        let files = self.files.iter().filter(|file| file.package() == self.package);
        files.flat_map(|file| (0..file.service.len()).map(move |index| (file, index)))
    }

    /// Returns the module of a package, as a key: empty if there is only one.
    pub(super) fn module_of(&self, package: &str) -> String {
        if !self.is_nested {
            return String::new();
        }
        let module = Module::from_protobuf_package_name(package);
        module.parts().map(|part| format!("::{part}")).collect()
    }
}

/// Returns names of the files of `package`, and of those that declare what they refer to.
fn needed(files: &[&FileDescriptorProto], package: &str) -> BTreeSet<String> {
    let mut declared_in = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        for name in declared(file) {
            declared_in.insert(name, index);
        }
    }
    let mut open: Vec<usize> = (0..files.len())
        .filter(|index| files.get(*index).is_some_and(|file| file.package() == package))
        .collect();
    let mut needed = BTreeSet::new();
    while let Some(file) = open.pop().and_then(|index| files.get(index)) {
        if needed.insert(file.name().to_owned()) {
            let referred = referred(file, file.package() == package);
            open.extend(referred.filter_map(|name| declared_in.get(name).copied()));
        }
    }
    needed
}

/// Returns the full names of the messages and enums that a file declares, with a leading dot.
fn declared(file: &FileDescriptorProto) -> Vec<String> {
    fn walk(
        messages: &[DescriptorProto],
        enums: &[EnumDescriptorProto],
        scope: &str,
        names: &mut Vec<String>,
    ) {
        names.extend(enums.iter().map(|declared| format!("{scope}.{}", declared.name())));
        for message in messages {
            let name = format!("{scope}.{}", message.name());
            walk(&message.nested_type, &message.enum_type, &name, names);
            names.push(name);
        }
    }
    let mut names = Vec::new();
    let scope = match file.package() {
        "" => String::new(),
        package => format!(".{package}"),
    };
    walk(&file.message_type, &file.enum_type, &scope, &mut names);
    names
}

/// Returns the full names of the types of fields, and of requests and responses if services are
/// generated.
fn referred(file: &FileDescriptorProto, services: bool) -> impl Iterator<Item = &str> {
    fn walk<'f>(messages: &'f [DescriptorProto], names: &mut Vec<&'f str>) {
        for message in messages {
            names.extend(message.field.iter().map(|field| field.type_name()));
            walk(&message.nested_type, names);
        }
    }
    let mut names = Vec::new();
    walk(&file.message_type, &mut names);
    let rpcs = file
        .service
        .iter()
        .filter(move |_| services)
        .flat_map(|service| &service.method)
        .flat_map(|rpc| [rpc.input_type(), rpc.output_type()]);
    names.into_iter().chain(rpcs)
}

fn unknown_syntax(file: &FileDescriptorProto) -> Option<Problem> {
    if matches!(file.syntax(), "" | "proto2" | "proto3") {
        return None;
    }
    let fact = format!("`{}` is written in `{}`", file.name(), file.syntax());
    let problem = Problem::new(ErrorKind::Protocol, fact);
    Some(
        problem
            .in_file(file.name())
            .at_position(1, 1)
            .with_help("proto2 and proto3 are supported, editions are not"),
    )
}

/// Returns the file without parts that prost-build cannot handle.
fn prepared(mut file: FileDescriptorProto) -> FileDescriptorProto {
    file.package = file.package.filter(|package| !package.is_empty());
    source_info::complete(&mut file);
    file
}

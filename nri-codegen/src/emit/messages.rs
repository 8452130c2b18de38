//! Messages and enums, by prost-build; and what it says about services.

use std::cell::RefCell;
use std::rc::Rc;

use proc_macro2::TokenStream;
use prost_build::{Config, Module, ServiceGenerator};
use prost_types::FileDescriptorProto;
use quote::{ToTokens, quote};
use syn::{Expr, Ident, Item, Lit};

use super::{Input, docs};
use crate::error::{Error, ErrorKind, Problem};
use crate::history::Interface;
use crate::model::Event;

/// Signs that prost-build rewrites in comments, code or not, each with a private stand-in that it leaves alone.
const HIDDEN: [(&str, &str); 3] = [("[", "\u{e000}"), ("]", "\u{e001}"), ("://", "\u{e002}")];

/// What prost-build made of the descriptors.
pub(super) struct Messages {
    /// The types; comments are still in disguise, see [`plain`].
    pub(super) items: TokenStream,
    /// Names that are taken at the top level.
    pub(super) names: Vec<Ident>,
    /// Services with the Rust types of their RPCs.
    pub(super) services: Vec<prost_build::Service>,
    /// Variants of enum `Event` by number.
    events: Vec<(Ident, i32)>,
}

impl Messages {
    /// The variant of enum `Event` for an event of the model.
    pub(super) fn variant(&self, event: &Event) -> Option<&Ident> {
        let found = self
            .events
            .iter()
            .find(|(_, number)| *number == event.number);
        found.map(|(variant, _)| variant)
    }
}

/// Undoes the disguise of comments in finished source.
pub(super) fn plain(source: &str) -> String {
    HIDDEN
        .iter()
        .fold(source.to_owned(), |source, (sign, stand_in)| {
            source.replace(stand_in, sign)
        })
}

pub(super) fn emit(input: &Input<'_>) -> Result<Messages, Error> {
    let services = Services::default();
    let mut config = config(input);
    config.service_generator(Box::new(services.clone()));
    let module = Module::from_protobuf_package_name(&input.protocol.package);
    let requests = files(input)?
        .into_iter()
        .map(|file| (module.clone(), file))
        .collect();
    let source = config.generate(requests).map_err(|error| failed(&error))?;
    let source = source.get(&module).map(String::as_str).unwrap_or_default();
    let file = syn::parse_file(source).map_err(|error| unparsable(&error))?;
    Ok(Messages {
        names: file.items.iter().filter_map(name).collect(),
        events: file.items.iter().flat_map(event_variants).collect(),
        services: services.0.take(),
        items: file.into_token_stream(),
    })
}

fn config(input: &Input<'_>) -> Config {
    let mut config = Config::new();
    let options = input.options;
    if let Some(prost) = &options.prost {
        config.prost_path(written(prost));
    }
    if options.serde {
        config.type_attribute(".", "#[derive(::serde::Serialize, ::serde::Deserialize)]");
        config.message_attribute(".", "#[serde(default)]");
    }
    if options.ordered_maps {
        config.btree_map(["."]);
    }
    for (path, attribute) in &options.types {
        config.type_attribute(path, attribute);
    }
    for (path, attribute) in &options.fields {
        config.field_attribute(path, attribute);
    }
    for deprecation in &input.deprecations {
        if let Interface::Rpc {
            message: Some(message),
            ..
        } = &deprecation.interface
        {
            let attribute = super::services::deprecated(deprecation);
            config.message_attribute(format!(".{message}"), quote!(#attribute).to_string());
        }
    }
    config
}

/// The files to generate from: all of the one package. Protobuf's own come from `prost-types`.
fn files(input: &Input<'_>) -> Result<Vec<FileDescriptorProto>, Error> {
    let package = &input.protocol.package;
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for file in input.compiled.pool.file_descriptor_protos() {
        if file.package() == package {
            files.push(with_docs(file.clone()));
        } else if file.package() != "google.protobuf" {
            problems.push(other_package(file, package));
        }
    }
    Error::unless_empty(problems)?;
    Ok(files)
}

fn other_package(file: &FileDescriptorProto, package: &str) -> Problem {
    let fact = format!("package {} beside {package}", file.package());
    Problem::new(ErrorKind::Protocol, fact)
        .in_file(file.name())
        .with_help("bindings are generated for one package; put what it needs into it")
}

/// The file with comments that are safe as rustdoc.
fn with_docs(mut file: FileDescriptorProto) -> FileDescriptorProto {
    let infos = file
        .source_code_info
        .iter_mut()
        .flat_map(|info| &mut info.location);
    for info in infos {
        // Detached comments belong to nothing that is generated.
        info.leading_detached_comments.clear();
        for comment in [&mut info.leading_comments, &mut info.trailing_comments] {
            *comment = comment.as_deref().map(disguised);
        }
    }
    file
}

fn disguised(comment: &str) -> String {
    let lines = comment
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    let markdown = docs::markdown(&lines.collect::<Vec<_>>().join("\n"));
    HIDDEN.iter().fold(markdown, |text, (sign, stand_in)| {
        text.replace(sign, stand_in)
    })
}

/// Keeps the services that prost-build reads, and emits nothing.
#[derive(Clone, Default)]
struct Services(Rc<RefCell<Vec<prost_build::Service>>>);

impl ServiceGenerator for Services {
    fn generate(&mut self, service: prost_build::Service, _: &mut String) {
        self.0.borrow_mut().push(service);
    }
}

fn name(item: &Item) -> Option<Ident> {
    match item {
        Item::Struct(item) => Some(item.ident.clone()),
        Item::Enum(item) => Some(item.ident.clone()),
        Item::Mod(item) => Some(item.ident.clone()),
        _ => None,
    }
}

fn event_variants(item: &Item) -> Vec<(Ident, i32)> {
    let Item::Enum(item) = item else {
        return Vec::new();
    };
    if item.ident != crate::model::EVENT {
        return Vec::new();
    }
    let numbered = item.variants.iter().filter_map(|variant| {
        let Some((_, Expr::Lit(number))) = &variant.discriminant else {
            return None;
        };
        match &number.lit {
            Lit::Int(number) => Some((variant.ident.clone(), number.base10_parse().ok()?)),
            _ => None,
        }
    });
    numbered.collect()
}

/// The path without the spaces that tokens get.
fn written(path: &syn::Path) -> String {
    quote!(#path).to_string().replace(' ', "")
}

fn failed(error: &std::io::Error) -> Problem {
    Problem::new(ErrorKind::Option, error.to_string())
}

fn unparsable(error: &syn::Error) -> Problem {
    let fact = format!("the generated messages are no Rust source: {error}");
    Problem::new(ErrorKind::Option, fact)
        .with_help("is an attribute or path given to the Builder malformed?")
}

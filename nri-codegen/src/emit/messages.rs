//! Messages and enums, by prost-build; and the services that it resolved.

use std::cell::RefCell;
use std::rc::Rc;

use proc_macro2::TokenStream;
use prost_build::{Config, Module, ServiceGenerator};
use quote::{ToTokens, quote};
use syn::{Expr, Ident, Item, Lit};

use super::schema::Schema;
use super::{Input, deprecation, derives, fields};
use nri_schema::history::Interface;
use nri_schema::model::Event;
use nri_schema::{Error, ErrorKind, Problem};

/// The output of prost-build.
pub(super) struct Messages {
    /// The types of the package. Some characters in comments are still hidden, see `source_info`.
    pub(super) items: TokenStream,
    /// The types of other packages, by module.
    pub(super) others: Vec<(Module, TokenStream)>,
    /// The module of the package.
    pub(super) module: Module,
    /// Names of the types and modules of the package.
    pub(super) names: Vec<Ident>,
    /// Services of the package with the Rust types of their RPCs.
    pub(super) services: Vec<prost_build::Service>,
    /// Variants of enum `Event` by number.
    events: Vec<(Ident, i32)>,
}

impl Messages {
    /// Returns the variant of enum `Event` for an event of the model.
    pub(super) fn variant(&self, event: &Event) -> Option<&Ident> {
        self.events.iter().find(|(_, number)| *number == event.number).map(|(variant, _)| variant)
    }

    /// Returns `wanted`, with underscores appended until no type, module or service of the package
    /// has the name.
    pub(super) fn free(&self, wanted: &str) -> Ident {
        let is_taken = |name: &String| {
            self.names.iter().any(|taken| taken == name)
                || self.services.iter().any(|service| service.name == *name)
        };
        let mut name = wanted.to_owned();
        while is_taken(&name) {
            name.push('_');
        }
        quote::format_ident!("{name}")
    }
}

pub(super) fn emit(input: &Input<'_>) -> Result<Messages, Error> {
    let services = Services::default();
    let mut config = config(input);
    config.service_generator(Box::new(services.clone()));
    let module = Module::from_protobuf_package_name(input.schema.package());
    let requests = input.schema.files().iter().map(|file| {
        let of = Module::from_protobuf_package_name(file.package());
        let mut file = file.clone();
        // Services are generated for the package of the proto alone.
        if file.package() != input.schema.package() {
            file.service.clear();
        }
        (of, file)
    });
    let sources = config.generate(requests.collect()).map_err(|error| failed(&error))?;
    let mut others = Vec::new();
    let mut file = empty();
    for (of, source) in sources {
        let mut parsed = syn::parse_file(&source).map_err(|error| unparsable(&error))?;
        if !input.options.externs.is_empty() {
            let holders = derives::holders(input.schema.files(), &of, input.options);
            derives::remove_guessed(&mut parsed.items, "", &holders);
        }
        Error::unless_empty(derives::repeated(&parsed.items))?;
        if of == module {
            file = parsed;
        } else {
            others.push((of, parsed.into_token_stream()));
        }
    }
    others.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Messages {
        names: file.items.iter().filter_map(name).collect(),
        events: file.items.iter().flat_map(event_variants).collect(),
        items: file.into_token_stream(),
        services: services.0.take(),
        others,
        module,
    })
}

fn empty() -> syn::File {
    syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: Vec::new() }
}

fn config(input: &Input<'_>) -> Config {
    let mut config = Config::new();
    let options = input.options;
    if let Some(prost) = &options.prost {
        config.prost_path(written(prost));
    }
    // The types of protobuf itself are generated too, so that the source needs no crate other than
    // prost.
    config.compile_well_known_types();
    for (proto, rust) in &options.externs {
        config.extern_path(proto, written(rust));
    }
    boxes(&mut config, &input.schema);
    if options.ordered_maps {
        config.btree_map(["."]);
    }
    if options.serde {
        config.type_attribute(".", "#[derive(::serde::Serialize, ::serde::Deserialize)]");
        config.message_attribute(".", "#[serde(default)]");
    }
    for (path, attribute) in &options.types {
        config.type_attribute(path, attribute);
    }
    for (path, attribute) in &options.fields {
        config.field_attribute(path, attribute);
    }
    for deprecation in &input.deprecations {
        if let Interface::Rpc { message: Some(message), .. } = &deprecation.interface {
            let attribute = deprecation::attribute(deprecation);
            config.message_attribute(format!(".{message}"), quote!(#attribute).to_string());
        }
    }
    config
}

/// Boxes every group, because prost-build does not box groups on a cycle.
fn boxes(config: &mut Config, schema: &Schema<'_>) {
    for path in schema.files().iter().flat_map(fields::groups) {
        config.boxed(path);
    }
}

/// Collects the services that prost-build reads. It generates an empty line, because prost-build
/// panics if there is nothing else in a package: no types of its own.
#[derive(Clone, Default)]
struct Services(Rc<RefCell<Vec<prost_build::Service>>>);

impl ServiceGenerator for Services {
    fn generate(&mut self, service: prost_build::Service, source: &mut String) {
        source.push('\n');
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
    if item.ident != nri_schema::model::EVENT {
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

/// Returns the path without the spaces that tokens get.
fn written(path: &syn::Path) -> String {
    quote!(#path).to_string().replace(' ', "")
}

fn failed(error: &std::io::Error) -> Problem {
    Problem::new(ErrorKind::Option, error.to_string())
}

fn unparsable(error: &syn::Error) -> Problem {
    let fact = format!("the generated messages are not valid Rust: {error}");
    Problem::new(ErrorKind::Option, fact)
        .with_help("check the attributes and paths given to the Builder")
}

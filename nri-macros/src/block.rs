//! `#[nri::plugin]` on a block of methods: writes the impl of the trait of each, then what the
//! derive writes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{ImplItem, ImplItemFn, Item, ItemImpl, Path, Type, Visibility, parse_quote};

use crate::attributes::{self, Attributes};
use crate::diagnostics::{Diagnostics, list, message, nearest};
use crate::expand;
use crate::handles::{Handles, Source, too_new};
use crate::input::{self, Subject};
use crate::protocol::Protocol;
use crate::signature::{Signature, has_context};
use crate::table::{LIFE, RPCS, Rpc};

/// The methods of `Connection`, with their arguments in addition to the context.
const HOOKS: [(&str, &[(&str, &str)]); 3] =
    [("on_connect", &[]), ("on_disconnect", &[("reason", "&nri::Error")]), ("on_reconnect", &[])];

/// Expands the block. With errors, the impls are written all the same, so that one mistake causes
/// one error.
pub(crate) fn plugin(arguments: TokenStream, block: TokenStream) -> TokenStream {
    let block: Item = match syn::parse2(block) {
        Ok(block) => block,
        Err(error) => return error.into_compile_error(),
    };
    match named_block(&block) {
        Ok((block, ident)) => expanded(arguments, block, ident),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #block)
        }
    }
}

fn expanded(arguments: TokenStream, block: &ItemImpl, ident: Ident) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attributes = attributes::parse_arguments(arguments, &mut diagnostics);
    without_lists(&attributes, &mut diagnostics);
    let protocol = input::protocol(&attributes, &mut diagnostics);
    let krate = input::krate(&attributes);
    let mut found = Found::default();
    for item in &block.items {
        found.take(item, &krate, protocol.as_ref(), &mut diagnostics);
    }
    let subject = Subject {
        ident: &ident,
        this: expand::outlive(block.self_ty.to_token_stream(), &expand::lifetimes(&block.generics)),
        generics: block.generics.clone(),
        attributes: &block.attrs,
    };
    let traits = found.traits(block, &krate, &subject.this);
    let handles = Some(Handles { source: Source::Block, ..found.handles });
    let plugin = input::plugin(subject, attributes, protocol, handles, &mut diagnostics);
    let expanded = expand::expand(&plugin, diagnostics);
    quote!(#traits #expanded)
}

/// Returns the block with the name of its type. For any other item, the error names the tokens to
/// replace.
fn named_block(item: &Item) -> syn::Result<(&ItemImpl, Ident)> {
    let (at, help) = match item {
        Item::Impl(block) => match (name(block), &block.trait_) {
            (Some(ident), _) => return Ok((block, ident)),
            (None, Some((path, _))) => (path.to_token_stream(), OF_A_TRAIT),
            (None, None) => (block.self_ty.to_token_stream(), OF_A_NAME),
        },
        Item::Struct(item) => (item.ident.to_token_stream(), OF_A_TYPE),
        Item::Enum(item) => (item.ident.to_token_stream(), OF_A_TYPE),
        Item::Union(item) => (item.ident.to_token_stream(), OF_A_TYPE),
        other => (other.to_token_stream(), OF_A_NAME),
    };
    let fact = "`#[nri::plugin]` is for the block with the handlers";
    Err(syn::Error::new_spanned(at, message(fact, help)))
}

const OF_A_NAME: &str = "write it above `impl Name { … }`, where `Name` is the type of the plugin";
const OF_A_TRAIT: &str = "remove the trait: `impl Name { … }`; or write `#[derive(NriPlugin)]` above the type, which takes impls of traits";
const OF_A_TYPE: &str = "write it above `impl Name { … }`; or write `#[derive(NriPlugin)]` and `#[nri(…)]` here, and \
                         implement the handler traits";

/// Returns the name of the type, or `None` for the impl of a trait and for types without a name.
fn name(block: &ItemImpl) -> Option<Ident> {
    match &*block.self_ty {
        Type::Path(path) if block.trait_.is_none() => {
            path.path.segments.last().map(|last| last.ident.clone())
        }
        _ => None,
    }
}

fn without_lists(attributes: &Attributes, diagnostics: &mut Diagnostics) {
    let help = "remove it: the block has the handlers and the bounds";
    if let Some(name) = attributes.handles.iter().flatten().next() {
        diagnostics.error(name, "`handles` is for the derive", help);
    }
    if let Some(bound) = attributes.bound.iter().flatten().next() {
        diagnostics.error(bound, "`bound` is for the derive", help);
    }
}

/// The handlers of a block.
#[derive(Default)]
struct Found {
    handles: Handles,
    /// The method of each handler trait.
    handlers: Vec<(&'static Rpc, ImplItemFn)>,
    /// The methods of `Connection`.
    hooks: Vec<ImplItemFn>,
}

impl Found {
    fn take(
        &mut self,
        item: &ImplItem,
        krate: &Path,
        protocol: Option<&Protocol>,
        diagnostics: &mut Diagnostics,
    ) {
        let ImplItem::Fn(method) = item else {
            return diagnostics.error(item, "not a handler", ELSEWHERE);
        };
        let ident = &method.sig.ident;
        let hook = HOOKS.iter().find(|(name, _)| ident == name);
        match (RPCS.iter().find(|rpc| ident == &rpc.method()), hook) {
            (Some(rpc), _) => {
                too_new(rpc, ident, protocol, diagnostics);
                self.handles.rpcs.push((rpc, ident.span()));
                if Signature::of_handler(rpc).check(method, diagnostics) {
                    self.handlers.push((rpc, with_context(method, krate)));
                } else {
                    self.handles.mistaken.push(rpc.name);
                }
            }
            (None, Some((name, arguments))) => {
                if Signature::of_hook(name, arguments).check(method, diagnostics) {
                    self.handles.connection.get_or_insert(ident.span());
                    self.hooks.push(with_context(method, krate));
                }
            }
            (None, None) => unknown(ident, diagnostics),
        }
    }

    /// Returns the impls of the traits.
    fn traits(&self, block: &ItemImpl, krate: &Path, this: &TokenStream) -> TokenStream {
        let attributes = &block.attrs;
        let generics = expand::owned(&block.generics);
        let (parameters, _, bounds) = generics.split_for_impl();
        let implementation = |path: TokenStream, methods: &[&ImplItemFn]| {
            quote! {
                #(#attributes)*
                impl #parameters #krate::#path for #this #bounds {
                    #(#methods)*
                }
            }
        };
        let handlers = self.handlers.iter().map(|(rpc, method)| {
            let name = format_ident!("{}", rpc.name);
            implementation(quote!(plugin::handlers::#name), &[method])
        });
        let hooks: Vec<_> = self.hooks.iter().collect();
        let connection =
            (!hooks.is_empty()).then(|| implementation(quote!(plugin::Connection), &hooks));
        handlers.chain(connection).collect()
    }
}

const ELSEWHERE: &str = "move it to another `impl` block: this one has only handlers";

fn unknown(ident: &Ident, diagnostics: &mut Diagnostics) {
    let methods: Vec<String> = in_order_of_life().map(Rpc::method).collect();
    let hooks = HOOKS.iter().map(|(name, _)| *name);
    let known: Vec<_> = methods.iter().map(String::as_str).chain(hooks).collect();
    let handlers = match nearest(&ident.to_string(), known.iter().copied()) {
        Some(nearest) => format!("or did you mean `{nearest}`?"),
        None => format!("the handlers are {}", list(known)),
    };
    let help = format!("{ELSEWHERE}\nhelp: {handlers}");
    diagnostics.error(ident, format!("`{ident}` is not a handler"), help);
}

/// Returns the RPCs with an event in the order of the life of a pod with one container, then the
/// others.
fn in_order_of_life() -> impl Iterator<Item = &'static Rpc> {
    let events = LIFE.iter().filter_map(|name| RPCS.iter().find(|rpc| rpc.name == *name));
    events.chain(RPCS.iter().filter(|rpc| !rpc.carries_event()))
}

/// Returns a method with the context among its arguments.
fn with_context(method: &ImplItemFn, krate: &Path) -> ImplItemFn {
    let mut written = ImplItemFn { vis: Visibility::Inherited, ..method.clone() };
    if !has_context(method) {
        let context = parse_quote!(_: &#krate::EventContext);
        written.sig.inputs.insert(1, context);
    }
    written
}

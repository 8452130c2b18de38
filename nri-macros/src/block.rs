//! `#[nri::plugin]` on a block of methods: writes the impl of the trait of each, then what the derive writes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Path, Type, Visibility, parse_quote};

use crate::attributes::{self, Attributes};
use crate::diagnostics::{Diagnostics, suggest};
use crate::expand;
use crate::handles::{Handles, Source, too_new};
use crate::input::{self, Subject};
use crate::protocol::Protocol;
use crate::table::{RPCS, Rpc};

/// The methods of `Connection`, with the number of their arguments in addition to the context.
const HOOKS: [(&str, usize); 3] = [("on_connect", 0), ("on_disconnect", 1), ("on_reconnect", 0)];

/// Expands the block. With errors, the impls are written all the same, so that one mistake causes one error.
pub(crate) fn plugin(arguments: TokenStream, block: TokenStream) -> TokenStream {
    let block: ItemImpl = match syn::parse2(block) {
        Ok(block) => block,
        Err(error) => return error.into_compile_error(),
    };
    let Some(ident) = name(&block) else {
        let message = "`nri::plugin` is for a block of methods: `impl Type { … }`";
        return syn::Error::new_spanned(&block.self_ty, message).into_compile_error();
    };
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
    let traits = found.traits(&block, &krate, &subject.this);
    let handles = Some(Handles { source: Source::Block, ..found.handles });
    let plugin = input::plugin(subject, attributes, protocol, handles, &mut diagnostics);
    let expanded = expand::expand(&plugin, diagnostics);
    quote!(#traits #expanded)
}

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
                self.handlers.push((rpc, with_context(method, 0, krate)));
            }
            (None, Some((_, arguments))) => {
                self.handles.connection.get_or_insert(ident.span());
                self.hooks.push(with_context(method, *arguments, krate));
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
        let hooks = (!hooks.is_empty()).then(|| implementation(quote!(plugin::Connection), &hooks));
        handlers.chain(hooks).collect()
    }
}

const ELSEWHERE: &str = "move it to another `impl` block: this one has only handlers";

fn unknown(ident: &Ident, diagnostics: &mut Diagnostics) {
    let methods: Vec<String> = RPCS.iter().map(Rpc::method).collect();
    let hooks = HOOKS.iter().map(|(name, _)| *name);
    let known = methods.iter().map(String::as_str).chain(hooks);
    let help = suggest(&ident.to_string(), known);
    let help = format!("{help}\nhelp: or {ELSEWHERE}");
    diagnostics.error(ident, format!("`{ident}` is not a handler"), help);
}

/// Returns a method with the context among its arguments. The trait's has this many references in addition to the context.
fn with_context(method: &ImplItemFn, references: usize, krate: &Path) -> ImplItemFn {
    let is_reference = |argument: &&FnArg| matches!(argument, FnArg::Typed(typed) if matches!(&*typed.ty, Type::Reference(_)));
    let mut method = ImplItemFn { vis: Visibility::Inherited, ..method.clone() };
    if method.sig.inputs.iter().filter(is_reference).count() <= references {
        let place = method.sig.inputs.len().min(1);
        let context = parse_quote!(_: &#krate::EventContext);
        method.sig.inputs.insert(place, context);
    }
    method
}

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
    let mut found = Found::default();
    for item in &block.items {
        found.take(item, protocol.as_ref(), &mut diagnostics);
    }
    let subject = Subject {
        ident: &ident,
        this: expand::outlive(
            block.self_ty.to_token_stream(),
            &expand::lifetimes(&block.generics),
        ),
        generics: block.generics.clone(),
        attributes: &block.attrs,
    };
    let handles = Some(found.handles);
    let plugin = input::plugin(subject, attributes, protocol, handles, &mut diagnostics);
    let traits = found
        .methods
        .into_iter()
        .map(|(path, methods)| implementation(&block, &plugin, &path, &methods));
    let traits: TokenStream = traits.collect();
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
struct Found {
    handles: Handles,
    /// The methods of each trait, whose path continues that of the crate.
    methods: Vec<(TokenStream, Vec<Method>)>,
}

/// A method of a trait.
struct Method {
    written: ImplItemFn,
    /// True if the context has to be added to the arguments.
    needs_context: bool,
}

impl Default for Found {
    fn default() -> Self {
        Found {
            handles: Handles {
                source: Source::Block,
                ..Handles::default()
            },
            methods: Vec::new(),
        }
    }
}

impl Found {
    fn take(
        &mut self,
        item: &ImplItem,
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
                self.handler(rpc, method);
            }
            (None, Some((_, arguments))) => self.hook(method, *arguments),
            (None, None) => unknown(ident, diagnostics),
        }
    }

    fn handler(&mut self, rpc: &'static Rpc, method: &ImplItemFn) {
        self.handles.rpcs.push((rpc, method.sig.ident.span()));
        let name = format_ident!("{}", rpc.name);
        let path = quote!(plugin::handlers::#name);
        self.methods.push((path, vec![Method::new(method, 0)]));
    }

    fn hook(&mut self, method: &ImplItemFn, arguments: usize) {
        let method = Method::new(method, arguments);
        match self.handles.connection {
            Some(_) => {
                let hooks = self
                    .methods
                    .iter_mut()
                    .find(|(path, _)| is_connection(path));
                if let Some((_, methods)) = hooks {
                    methods.push(method);
                }
            }
            None => {
                self.handles.connection = Some(method.written.sig.ident.span());
                self.methods
                    .push((quote!(plugin::Connection), vec![method]));
            }
        }
    }
}

fn is_connection(path: &TokenStream) -> bool {
    path.to_string() == quote!(plugin::Connection).to_string()
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

impl Method {
    /// Takes a method whose trait has this many references in addition to the context.
    fn new(method: &ImplItemFn, references: usize) -> Self {
        let is_reference = |argument: &&FnArg| matches!(argument, FnArg::Typed(typed) if matches!(&*typed.ty, Type::Reference(_)));
        let written = method.sig.inputs.iter().filter(is_reference).count();
        Method {
            written: ImplItemFn {
                vis: Visibility::Inherited,
                ..method.clone()
            },
            needs_context: written <= references,
        }
    }

    fn with_context(&self, krate: &Path) -> ImplItemFn {
        let mut method = self.written.clone();
        if self.needs_context {
            let place = method.sig.inputs.len().min(1);
            let context = parse_quote!(_: &#krate::EventContext);
            method.sig.inputs.insert(place, context);
        }
        method
    }
}

fn implementation(
    block: &ItemImpl,
    plugin: &input::Plugin,
    path: &TokenStream,
    methods: &[Method],
) -> TokenStream {
    let (krate, attributes, this) = (&plugin.krate, &block.attrs, &plugin.this);
    let generics = expand::owned(&block.generics);
    let (parameters, _, bounds) = generics.split_for_impl();
    let methods = methods.iter().map(|method| method.with_context(krate));
    quote! {
        #(#attributes)*
        impl #parameters #krate::#path for #this #bounds {
            #(#methods)*
        }
    }
}

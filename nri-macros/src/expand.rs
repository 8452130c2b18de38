//! Generates Rust code from the checked input.

mod assertions;
mod table;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Generics, WherePredicate};

use crate::diagnostics::Diagnostics;
use crate::input::Plugin;
use crate::table::Rpc;

/// Returns the impl of `nri::plugin::Plugin`, and all errors. If there are errors, no assertions
/// are added, so that one mistake causes one error.
pub(crate) fn expand(plugin: &Plugin, diagnostics: Diagnostics) -> TokenStream {
    let krate = &plugin.krate;
    let assertions = diagnostics.is_empty().then(|| assertions::assertions(plugin));
    let errors = diagnostics.into_tokens();
    let lints = &plugin.lints;
    let table = table::items(plugin);
    let manifest = manifest(plugin);
    let implementation = implementation(plugin);
    quote! {
        #errors
        #[doc(hidden)]
        #(#lints)*
        const _: () = {
            use #krate::__private as __nri;
            #table
            #manifest
            #assertions
            #implementation
        };
    }
}

/// Returns a static that holds the manifest. It is evaluated at compile time, because only the
/// compiler knows the handlers.
fn manifest(plugin: &Plugin) -> TokenStream {
    let name = option(plugin.name.as_ref());
    let index = option(plugin.index.as_ref());
    let protocol = option(plugin.protocol.as_ref().map(|protocol| protocol.release));
    let paths = &plugin.policies.required_fields;
    let required = mask(&plugin.policies.required);
    quote! {
        const __NRI_REQUIRED_FIELDS: &[__nri::RequiredField] =
            &[#(__nri::RequiredField::named(#paths)),*];
        const __NRI_DESCRIPTION: __nri::Description = __nri::Description {
            name: #name,
            index: #index,
            protocol: __nri::PROTOCOL,
            min_protocol: __nri::oldest_release(#protocol, __NRI_REQUIRED_FIELDS),
            facts: __NRI_FACTS,
            required: #required,
            required_fields: __NRI_REQUIRED_FIELDS,
        };
        static __NRI_MANIFEST: [u8; __NRI_DESCRIPTION.size()] = __NRI_DESCRIPTION.render();
    }
}

fn implementation(plugin: &Plugin) -> TokenStream {
    let this = &plugin.this;
    let generics = owned(&plugin.generics);
    let (parameters, _, bounds) = generics.split_for_impl();
    let name = option(plugin.name.as_ref());
    let index = option(plugin.index.as_ref());
    let protocol = option(plugin.protocol.as_ref().map(|protocol| protocol.release));
    let table = table::value(plugin);
    let connection = table::connection(plugin);
    let policies = policies(plugin);
    quote! {
        #[automatically_derived]
        impl #parameters __nri::Plugin for #this #bounds {
            const NAME: ::core::option::Option<&'static str> = #name;
            const INDEX: ::core::option::Option<&'static str> = #index;
            const PROTOCOL: ::core::option::Option<&'static str> = #protocol;
            const EVENTS: __nri::EventMask = __nri::events(__NRI_FACTS);
            type Inner = Self;
            const TABLE: &'static [__nri::Row<Self>] = #table;
            const POLICIES: __nri::Policies = #policies;
            const CONNECTION: ::core::option::Option<__nri::Hook<Self>> = #connection;
            const MANIFEST: &'static [u8] = &__NRI_MANIFEST;
            fn inner(&self) -> &Self {
                self
            }
        }
    }
}

fn policies(plugin: &Plugin) -> TokenStream {
    let policies = &plugin.policies;
    let required = mask(&policies.required);
    let blocking = mask(&policies.blocking);
    let blocking_rpcs = policies.blocking_rpcs.iter().map(|rpc| rpc.name);
    let ignore_errors = mask(&policies.ignore_errors);
    let ok_on_timeout = mask(&policies.ok_on_timeout);
    let failure_policy = option(policies.failure_policy.as_ref().map(|policy| {
        let (fail_request, keep_connected) = (policy.fail_request, policy.keep_connected);
        quote!(__nri::FailurePolicy { fail_request: #fail_request, keep_connected: #keep_connected })
    }));
    quote! {
        __nri::Policies {
            required: #required,
            required_fields: __NRI_REQUIRED_FIELDS,
            blocking: #blocking,
            blocking_rpcs: &[#(#blocking_rpcs),*],
            ignore_errors: #ignore_errors,
            ok_on_timeout: #ok_on_timeout,
            failure_policy: #failure_policy,
        }
    }
}

/// Returns a set of events.
fn mask(rpcs: &[&Rpc]) -> TokenStream {
    let events = rpcs.iter().map(|rpc| format_ident!("{}", rpc.name));
    quote!(__nri::EventMask::EMPTY #(.with(__nri::Event::#events))*)
}

/// Returns `Some(value)` or `None`.
fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Returns the parameters and bounds without lifetimes, which become `'static`. Every type
/// parameter gets the bounds that all handler traits have.
pub(crate) fn owned(generics: &Generics) -> Generics {
    let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    let lifetimes = lifetimes(generics);
    let params: Vec<_> = generics
        .params
        .iter()
        .filter(|param| !is_lifetime(param))
        .map(|param| outlive(param.to_token_stream(), &lifetimes))
        .collect();
    let bounds = outlive(generics.where_clause.to_token_stream(), &lifetimes);
    let mut owned: Generics = syn::parse_quote!(<#(#params),*>);
    owned.where_clause = syn::parse_quote!(#bounds);
    let shared: Vec<WherePredicate> = generics
        .type_params()
        .map(|param| &param.ident)
        .map(|param| {
            syn::parse_quote!(#param: ::core::marker::Send + ::core::marker::Sync + 'static)
        })
        .collect();
    if !shared.is_empty() {
        owned.make_where_clause().predicates.extend(shared);
    }
    owned
}

/// Returns the names of the lifetime parameters.
pub(crate) fn lifetimes(generics: &Generics) -> Vec<String> {
    generics.lifetimes().map(|param| param.lifetime.ident.to_string()).collect()
}

/// Replaces these lifetimes by `'static`.
pub(crate) fn outlive(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
    let mut after_quote = false;
    let replaced = tokens.into_iter().map(|token| {
        let named = std::mem::replace(
            &mut after_quote,
            matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '\''),
        );
        match token {
            TokenTree::Ident(name) if named && lifetimes.contains(&name.to_string()) => {
                format_ident!("static").into()
            }
            TokenTree::Group(group) => {
                let mut inner =
                    proc_macro2::Group::new(group.delimiter(), outlive(group.stream(), lifetimes));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        }
    });
    replaced.collect()
}

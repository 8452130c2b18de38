//! `#[derive(NriPlugin)]`, which the `nri` crate exports: makes a type with handlers a plugin.
//!
//! The macro knows no types, so the compiler finds out which handlers there are: the code that the macro writes asks
//! for one constant an RPC, and where the type implements the handler trait, a constant in an inherent impl hides the
//! one of a blanket trait. Table, event mask and manifest are made from these at compile time; what only the compiler
//! can see to be wrong is a failed assertion of a constant, on the tokens at fault.
//!
//! ```text
//! attributes.rs, policies.rs → input.rs → expand.rs, manifest.rs
//!                                           diagnostics.rs
//! ```
//!
//! `attributes` reads what is written, `input` and `policies` check what it means against the generated `table`,
//! `expand` writes. All note what is wrong in `diagnostics`, and the impl is written nevertheless, so that one mistake
//! is one error.
#![forbid(unsafe_code)]

mod attributes;
mod diagnostics;
mod expand;
mod input;
mod manifest;
mod policies;
mod release;
#[rustfmt::skip]
mod table;
mod wasm;

use proc_macro::TokenStream;

/// Makes a type a plugin: implements `nri::plugin::Plugin` from the handler traits that the type implements.
///
/// The type is a struct or an enum, and handles one event at least. A lifetime of it is taken for `'static`; a type
/// with other parameters lists its handlers with `handles(…)`, as the compiler cannot look into it.
///
/// The attributes of `#[nri(…)]`, all of them optional:
///
/// | attribute | meaning |
/// | --- | --- |
/// | `name = "pod-logger"` | name, of letters, digits and `_`, `.`, `+`, `-` |
/// | `index = "10"` | two digits: plugins are called in the order of their indices |
/// | `protocol = "0.11"` | oldest NRI release to be served; a handler of an event that is newer is an error |
/// | `handles(RunPodSandbox, …)` | the handlers, for a type with parameters; those not listed are not called |
/// | `required(EVENT, …)` | refuse to run where the runtime does not know these |
/// | `blocking(EVENT, …)` | the handlers of these block their thread: run them aside |
/// | `on_error(EVENT = "ignore", …)` | log an error of the handler and tell the runtime that all is well; `"fail"` is the default |
/// | `on_timeout(EVENT = "ok", …)` | when time runs out, tell the runtime that all is well; `"fail"` is the default |
/// | `failure_policy(fail_request, keep_connected)` | what the runtime is asked to do when the plugin does not answer; one of the two or both |
/// | `crate = renamed` | the path of the `nri` crate, where it is not `::nri` |
/// | `bound(B: Backend, …)` | bounds that the handlers need and the type does not have |
///
/// `EVENT` is an event's name in the protocol, such as `RUN_POD_SANDBOX`.
///
/// # Deprecated handlers
///
/// For a type that implements `StateChange`, rustc's `deprecated` lint fires at the name of the type. `#[allow(deprecated)]` or
/// `#[deny(deprecated)]` on the type, or anywhere around it, does what it always does. Not so `#[expect]`, which looks at
/// the type alone and not at what is derived from it.
#[proc_macro_derive(NriPlugin, attributes(nri))]
pub fn derive_nri_plugin(input: TokenStream) -> TokenStream {
    derive(input.into()).into()
}

/// Exports a plugin as a WebAssembly module. For `nri::wasm_plugin!`, which passes the path of its crate.
#[doc(hidden)]
#[proc_macro]
pub fn wasm_exports(input: TokenStream) -> TokenStream {
    wasm::exports(input.into()).into()
}

/// Attributes, checked input, expansion; with an error for everything that is wrong, and the impl all the same.
fn derive(input: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let input: syn::DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = diagnostics::Diagnostics::default();
    let attributes = attributes::parse(&input.attrs, &mut diagnostics);
    let plugin = input::check(&input, attributes, &mut diagnostics);
    expand::expand(&plugin, diagnostics)
}

#[cfg(test)]
mod tests;

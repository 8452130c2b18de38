//! `#[derive(NriPlugin)]` and `#[nri::plugin]`, which the `nri` crate re-exports: make a type with
//! handlers a plugin.
//!
//! The macro knows no types, so the compiler detects the handlers: the generated code refers to one
//! constant per RPC, and if the type implements the handler trait, a constant in an inherent impl
//! hides the one of a blanket trait. Table, event mask and manifest are computed from these at
//! compile time. Mistakes that only the compiler can detect are failed assertions of constants, at
//! the offending tokens.
//!
//! ```text
//! attributes.rs, policies.rs → input.rs → expand.rs
//!             block.rs ↗             diagnostics.rs
//!         signature.rs ↗
//! ```
//!
//! `block` reads the methods below `#[nri::plugin]`, checks each `signature`, writes the impls of
//! their traits, and continues like the derive. `attributes` parses, `input` and `policies` check
//! the meaning with the generated `table`, `expand` generates code. All add errors to
//! `diagnostics`, and the impl is generated nevertheless, so that one mistake causes one error.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::unreachable))]

mod attributes;
mod block;
mod diagnostics;
mod expand;
mod handles;
mod input;
mod policies;
mod protocol;
mod signature;
#[rustfmt::skip]
mod table;
mod wasm;

use proc_macro::TokenStream;

/// Makes a type a plugin: implements `nri::plugin::Plugin` from the handler traits that the type
/// implements.
///
/// The type is a struct or an enum, and handles at least one event. Lifetimes of the type become
/// `'static`; a type with other parameters lists its handlers with `handles(…)`, because the
/// compiler cannot detect them.
///
/// The attributes of `#[nri(…)]`, all optional:
///
/// | attribute | meaning |
/// | --- | --- |
/// | `name = "pod-logger"` | the name of the plugin: letters, digits, `_`, `.`, `+` and `-` |
/// | `index = "10"` | two digits; runtimes call plugins in the order of their indexes |
/// | `protocol = "0.11"` | do not start under a runtime with an older NRI release; a handler of a newer event is an error |
/// | `handles(RunPodSandbox, …)` | the handlers of a generic type, and `Connection` if it implements that; handlers that are not listed are not called |
/// | `required(CreateContainer, …)` | do not start under a runtime that lacks these events |
/// | `required_fields("adjust.CDI_devices", …)` | do not start under a runtime that ignores these fields of the answer to CreateContainer |
/// | `blocking(CreateContainer, …)` | run these handlers on a thread of their own, because they block; takes `Configure` and `Synchronize` as well |
/// | `on_error(StopContainer = "ignore", …)` | log an error of this handler and report success to the runtime; the default is `"fail"` |
/// | `on_timeout(StartContainer = "ok", …)` | report success to the runtime when the handler runs out of time; the default is `"fail"` |
/// | `failure_policy(fail_request, keep_connected)` | what the runtime should do when the plugin does not answer in time; one of the two or both |
/// | `crate = renamed` | the path of the `nri` crate if the dependency has another name |
/// | `bound(B: Backend, …)` | bounds that the handlers of a generic type need in addition to those of the type |
///
/// Wherever an attribute takes events or handlers, it takes the names of handler traits:
/// `Configure`, `Synchronize`, `Shutdown`, `RunPodSandbox`, `UpdatePodSandbox`,
/// `PostUpdatePodSandbox`, `StopPodSandbox`, `RemovePodSandbox`, `CreateContainer`,
/// `PostCreateContainer`, `StartContainer`, `PostStartContainer`, `UpdateContainer`,
/// `PostUpdateContainer`, `StopContainer`, `RemoveContainer`, `StateChange` and
/// `ValidateContainerAdjustment`.
///
/// # Deprecated handlers
///
/// For a type that implements `StateChange`, rustc's `deprecated` lint fires at the name of the
/// type. `#[allow(deprecated)]` and `#[deny(deprecated)]` on the type, or anywhere around it, work
/// as usual. `#[expect]` does not, because it applies to the type and not to derived code.
#[proc_macro_derive(NriPlugin, attributes(nri))]
pub fn derive_nri_plugin(input: TokenStream) -> TokenStream {
    derive(input.into()).into()
}

/// Makes a type a plugin: implements the handler trait of each method in the block, and
/// `nri::plugin::Plugin` for all of them.
///
/// The block has only handlers, each with the arguments of its trait; `&EventContext` may be left
/// out. Methods of other names, such as a misspelt one, are errors: functions of the type are in
/// another block. `on_connect`, `on_disconnect` and `on_reconnect` are those of the trait
/// `Connection`.
///
/// The attributes are those of [`NriPlugin`](macro@NriPlugin), without `handles` and `bound`: the
/// block shows both.
#[proc_macro_attribute]
pub fn plugin(arguments: TokenStream, block: TokenStream) -> TokenStream {
    block::plugin(arguments.into(), block.into()).into()
}

/// Exports a plugin as a WebAssembly module. For `nri::wasm_plugin!`, which passes the path of its
/// crate.
#[doc(hidden)]
#[proc_macro]
pub fn wasm_exports(input: TokenStream) -> TokenStream {
    wasm::exports(input.into()).into()
}

/// Attributes, checked input, expansion; with an error for everything that is wrong, and the impl
/// all the same.
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

//! Snapshots of the generated code.

use proc_macro2::TokenStream;
use quote::quote;

fn expanded(input: TokenStream) -> String {
    let file = syn::parse2(super::derive(input)).expect("the derive writes items");
    prettyplease::unparse(&file)
}

/// Compares with a snapshot, in the folder of those of the other tools.
fn check(name: &str, input: TokenStream) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots/macros");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, expanded(input)));
}

#[test]
fn handlers_are_detected() {
    check(
        "detected",
        quote! {
            #[nri(name = "pod-logger", index = "10")]
            struct PodLogger;
        },
    );
}

#[test]
fn handlers_are_listed() {
    check(
        "listed",
        quote! {
            #[nri(handles(RunPodSandbox, StateChange, Connection), bound(B: Backend))]
            #[allow(deprecated)]
            struct Generic<'a, B: Clone, const N: usize>(&'a [B; N]) where &'a B: Sized;
        },
    );
}

#[test]
fn attributes_become_constants_and_assertions() {
    check(
        "attributes",
        quote! {
            #[nri(
                name = "picky", index = "00", protocol = "0.9", required(CreateContainer), blocking(StartContainer),
                on_error(StopContainer = "ignore"), on_timeout(StopContainer = "ok", StartContainer = "fail"),
                failure_policy(fail_request), required_fields("adjust.CDI_devices"), crate = "renamed::nri",
            )]
            enum Picky { One }
        },
    );
}

#[test]
fn mistakes_leave_the_impl_and_drop_the_assertions() {
    check(
        "mistakes",
        quote! {
            #[nri(name = "no name", required(RunPodSandbox, FOO))]
            struct Mistaken;
        },
    );
}

#[test]
fn a_block_becomes_the_impls_of_its_traits() {
    let block = quote! {
        impl<B: Backend> Greeter<B> {
            async fn run_pod_sandbox(&self, pod: PodSandbox) -> nri::Result<()> { Ok(()) }
            async fn on_disconnect(&self, cx: &EventContext, reason: &nri::Error) {}
        }
    };
    let expanded = crate::block::plugin(quote!(name = "greeter", index = "10"), block);
    let file = syn::parse2(expanded).expect("the attribute writes items");
    let written = prettyplease::unparse(&file);
    for line in [
        "impl<B: Backend> ::nri::plugin::handlers::RunPodSandbox for Greeter<B>",
        "async fn run_pod_sandbox(\n        &self,\n        _: &::nri::EventContext,\n        pod: PodSandbox,",
        "impl<B: Backend> ::nri::plugin::Connection for Greeter<B>",
        "async fn on_disconnect(&self, cx: &EventContext, reason: &nri::Error)",
        "impl<B: Backend> __nri::Plugin for Greeter<B>",
        "__nri::add_missing_bounds_with_nri_bound::run_pod_sandbox::<Self>()",
    ] {
        assert!(written.contains(line), "{line}\n{written}");
    }
}

/// The compiler's error about the trait would count the context, which the author did not write.
#[test]
fn the_type_of_another_argument_is_told_as_the_author_writes_it() {
    let block = quote! {
        impl Greeter {
            async fn create_container(&self, pod: Container, container: PodSandbox) -> nri::Result<Adjustment> { todo!() }
            async fn run_pod_sandbox(&self, pod: my::Pod) -> nri::Result<()> { Ok(()) }
        }
    };
    let expanded = crate::block::plugin(quote!(name = "greeter", index = "10"), block).to_string();
    let expected = "the argument `pod` of `create_container` is `PodSandbox`, not `Container`\\n\
                help: write `async fn create_container(&self, pod: PodSandbox, container: Container) -> \
                nri::Result<Adjustment>`";
    assert!(expanded.contains(expected), "{expanded}");
    assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
}

#[test]
fn what_is_no_type_is_an_error_and_nothing_else() {
    let written = expanded(quote!(
        fn main() {}
    ));
    assert!(
        written.starts_with("::core::compile_error!") && !written.contains("impl"),
        "{written}"
    );
}

#[test]
fn the_docs_name_every_attribute_and_every_handler() {
    let docs = include_str!("lib.rs");
    for attribute in crate::attributes::ATTRIBUTES {
        let row = format!("/// | `{}", attribute.key);
        assert!(docs.contains(&row), "{row}");
    }
    for rpc in crate::table::RPCS {
        let name = format!("`{}`", rpc.name);
        assert!(docs.contains(&name), "{name}");
    }
}

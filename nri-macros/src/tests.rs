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
                name = "picky", index = "00", protocol = "0.9", required(CREATE_CONTAINER), blocking(START_CONTAINER),
                on_error(STOP_CONTAINER = "ignore"), on_timeout(STOP_CONTAINER = "ok", START_CONTAINER = "fail"),
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
            #[nri(name = "no name", required(RUN_POD_SANDBOX, FOO))]
            struct Mistaken;
        },
    );
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
fn the_docs_name_every_attribute_and_both_spellings_of_every_handler() {
    let docs = include_str!("lib.rs");
    for attribute in crate::attributes::ATTRIBUTES {
        let row = format!("/// | `{}", attribute.key);
        assert!(docs.contains(&row), "{row}");
    }
    for rpc in crate::table::RPCS {
        let row = format!("/// | `{}` | `{}` |", rpc.name, rpc.constant);
        assert!(docs.contains(&row), "{row}");
    }
}

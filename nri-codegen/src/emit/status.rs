//! Status and code, for those who do not bring their own.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Options;
use super::verbatim::verbatim;

/// Codes as the gRPC specification numbers them: <https://grpc.github.io/grpc/core/md_doc_statuscodes.html>.
const CODES: [(&str, i32, &str); 17] = [
    ("OK", 0, " No error."),
    ("CANCELLED", 1, " The caller gave up."),
    ("UNKNOWN", 2, " An error without a better code."),
    (
        "INVALID_ARGUMENT",
        3,
        " The request makes no sense; also one that does not decode.",
    ),
    (
        "DEADLINE_EXCEEDED",
        4,
        " The time was over before the work was done.",
    ),
    ("NOT_FOUND", 5, " What was asked for does not exist."),
    ("ALREADY_EXISTS", 6, " What should be created exists."),
    ("PERMISSION_DENIED", 7, " The caller may not do this."),
    ("RESOURCE_EXHAUSTED", 8, " A limit is reached."),
    ("FAILED_PRECONDITION", 9, " The state does not allow it."),
    ("ABORTED", 10, " A conflict ended the work."),
    ("OUT_OF_RANGE", 11, " Past the valid range."),
    (
        "UNIMPLEMENTED",
        12,
        " Not implemented. The only code upon which a runtime falls back to `StateChange`.",
    ),
    (
        "INTERNAL",
        13,
        " A defect on the answering side; also an answer that does not decode.",
    ),
    ("UNAVAILABLE", 14, " Not reachable now."),
    ("DATA_LOSS", 15, " Data are lost or damaged."),
    ("UNAUTHENTICATED", 16, " The caller is not known."),
];

pub(super) fn emit(options: &Options) -> TokenStream {
    let codes = CODES.iter().map(|(name, number, docs)| {
        let name = format_ident!("{name}");
        quote! { #[doc = #docs] pub const #name: Code = Code(#number); }
    });
    let code = verbatim(include_str!("verbatim/code.rs"), options);
    let status = verbatim(include_str!("verbatim/status.rs"), options);
    quote! {
        #code
        impl Code { #(#codes)* }
        #status
    }
}

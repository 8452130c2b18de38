//! Status and code, unless the user provides them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Options;
use super::verbatim::verbatim;

/// Codes of the gRPC specification: <https://grpc.github.io/grpc/core/md_doc_statuscodes.html>.
const CODES: [(&str, i32, &str); 17] = [
    ("OK", 0, " No error."),
    ("CANCELLED", 1, " The caller cancelled the call."),
    ("UNKNOWN", 2, " An error without a more specific code."),
    (
        "INVALID_ARGUMENT",
        3,
        " The request is invalid, or cannot be decoded.",
    ),
    (
        "DEADLINE_EXCEEDED",
        4,
        " The deadline passed before the call completed.",
    ),
    ("NOT_FOUND", 5, " The requested entity does not exist."),
    ("ALREADY_EXISTS", 6, " The entity to create exists already."),
    ("PERMISSION_DENIED", 7, " The caller lacks permission."),
    ("RESOURCE_EXHAUSTED", 8, " A limit is exceeded."),
    (
        "FAILED_PRECONDITION",
        9,
        " The system is not in the required state.",
    ),
    (
        "ABORTED",
        10,
        " The call was aborted, typically by a conflict.",
    ),
    ("OUT_OF_RANGE", 11, " A value is out of range."),
    (
        "UNIMPLEMENTED",
        12,
        " Not implemented. A runtime falls back to `StateChange` only on this code.",
    ),
    (
        "INTERNAL",
        13,
        " An internal error of the peer, or an answer that cannot be decoded.",
    ),
    ("UNAVAILABLE", 14, " The service is unavailable."),
    ("DATA_LOSS", 15, " Data is lost or corrupted."),
    ("UNAUTHENTICATED", 16, " The caller is not authenticated."),
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

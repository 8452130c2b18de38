//! Status and code, unless the user provides them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Options;
use super::verbatim::verbatim;

/// Codes of the gRPC specification, in the order of their numbers, which start at 0:
/// <https://grpc.github.io/grpc/core/md_doc_statuscodes.html>.
const CODES: [(&str, &str); 17] = [
    ("OK", " No error."),
    ("CANCELLED", " The caller cancelled the call."),
    ("UNKNOWN", " An error without a more specific code."),
    ("INVALID_ARGUMENT", " The request is invalid, or cannot be decoded."),
    ("DEADLINE_EXCEEDED", " The deadline passed before the call completed."),
    ("NOT_FOUND", " The requested entity does not exist."),
    ("ALREADY_EXISTS", " The entity to create exists already."),
    ("PERMISSION_DENIED", " The caller lacks permission."),
    ("RESOURCE_EXHAUSTED", " A limit is exceeded."),
    ("FAILED_PRECONDITION", " The system is not in the required state."),
    ("ABORTED", " The call was aborted, typically by a conflict."),
    ("OUT_OF_RANGE", " A value is out of range."),
    ("UNIMPLEMENTED", " Not implemented. A runtime falls back to `StateChange` only on this code."),
    ("INTERNAL", " An internal error of the peer, or an answer that cannot be decoded."),
    ("UNAVAILABLE", " The service is unavailable."),
    ("DATA_LOSS", " Data is lost or corrupted."),
    ("UNAUTHENTICATED", " The caller is not authenticated."),
];

pub(super) fn emit(options: &Options) -> TokenStream {
    let codes = (0_i32..).zip(CODES).map(|(number, (name, docs))| {
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

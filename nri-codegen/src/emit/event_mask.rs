//! The set of events that a plugin subscribes to.

use proc_macro2::TokenStream;
use quote::quote;

use super::Input;
use super::verbatim::verbatim;
use nri_schema::model::Scope;

pub(super) fn emit(input: &Input<'_>) -> TokenStream {
    let declaration = verbatim(include_str!("verbatim/event_mask_type.rs"), input.options);
    let constants = constants(input);
    let operations = verbatim(include_str!("verbatim/event_mask.rs"), input.options);
    quote! { #declaration #constants #operations }
}

fn constants(input: &Input<'_>) -> TokenStream {
    let of = |scope: Scope| {
        let of_scope = input.nri.events.iter().filter(|event| event.scope == scope);
        of_scope.fold(0, |mask, event| mask | event.bit).cast_signed()
    };
    let (pod, container) = (of(Scope::Pod), of(Scope::Container));
    let all = input.nri.valid_mask.cast_signed();
    quote! {
        impl EventMask {
            /// The empty set.
            pub const EMPTY: EventMask = EventMask(0);
            /// Every event of this revision.
            pub const ALL: EventMask = EventMask(#all);
            /// Every event of a pod.
            pub const POD: EventMask = EventMask(#pod);
            /// Every event of a container.
            pub const CONTAINER: EventMask = EventMask(#container);
        }
    }
}

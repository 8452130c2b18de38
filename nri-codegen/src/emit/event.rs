//! Additions to the generated enum of events: its events, their bits and names.

use proc_macro2::TokenStream;
use quote::quote;

use super::Input;
use super::messages::Messages;

pub(super) fn emit(input: &Input<'_>, messages: &Messages) -> TokenStream {
    let (variants, names): (Vec<_>, Vec<_>) = input
        .nri
        .events
        .iter()
        .filter_map(|event| Some((messages.variant(event)?, &event.rpc_name)))
        .unzip();
    quote! {
        impl Event {
            /// Every event that a plugin can subscribe to, by number.
            pub const ALL: &'static [Event] = &[#(Event::#variants),*];

            /// Returns the bit of the event in an [`EventMask`]; 0 for a value that is not one of
            /// [`Event::ALL`].
            pub const fn bit(self) -> i32 {
                match self as i32 {
                    number @ 1..=32 => (1 << (number - 1)) & EventMask::ALL.0,
                    _ => 0,
                }
            }

            /// Returns the name of the event and its RPC: `RunPodSandbox`.
            pub const fn name(self) -> &'static str {
                match self {
                    #(Event::#variants => #names,)*
                    _ => "unknown",
                }
            }
        }
    }
}

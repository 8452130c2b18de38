//! The set of events that a plugin subscribes to.

use proc_macro2::TokenStream;
use quote::quote;

use super::Input;
use super::messages::Messages;
use crate::model::Scope;

pub(super) fn emit(input: &Input<'_>, messages: &Messages) -> TokenStream {
    let declaration = declaration();
    let constants = constants(input, messages);
    let operations = operations();
    let conversions = conversions();
    let text = text();
    quote! { #declaration #constants #operations #conversions #text }
}

fn declaration() -> TokenStream {
    quote! {
        /// A set of events, as `ConfigureResponse.events` carries it: bit `number - 1` for each event.
        ///
        /// It cannot hold a bit that this revision does not know: a runtime drops a plugin that sends one. An empty
        /// set is sent as 0, which a runtime reads as everything it knows.
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct EventMask(i32);

        /// Bits that stand for no event of this revision.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct UnknownEvents(i32);

        /// A name that stands for no event of this revision.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct UnknownEventName(::std::string::String);

        impl UnknownEvents {
            /// The bits that are not known.
            pub const fn bits(self) -> i32 {
                self.0
            }
        }

        impl UnknownEventName {
            /// The name that is not known, in lower case.
            pub fn name(&self) -> &str {
                &self.0
            }
        }

        impl ::core::fmt::Display for UnknownEvents {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(f, "unknown events 0x{:x}", self.0)
            }
        }

        impl ::core::fmt::Display for UnknownEventName {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(f, "unknown event {:?}", self.0)
            }
        }

        impl ::std::error::Error for UnknownEvents {}
        impl ::std::error::Error for UnknownEventName {}
    }
}

fn constants(input: &Input<'_>, messages: &Messages) -> TokenStream {
    let of = |scope: Scope| {
        let events = input
            .nri
            .events
            .iter()
            .filter(move |event| event.scope == scope);
        let variants: Vec<_> = events.filter_map(|event| messages.variant(event)).collect();
        quote! { EventMask::EMPTY #(.with(Event::#variants))* }
    };
    let (pod, container) = (of(Scope::Pod), of(Scope::Container));
    let all = input.nri.valid_mask.cast_signed();
    quote! {
        impl EventMask {
            /// No event.
            pub const EMPTY: EventMask = EventMask(0);
            /// Every event of this revision.
            pub const ALL: EventMask = EventMask(#all);
            /// Every event of a pod.
            pub const POD: EventMask = #pod;
            /// Every event of a container.
            pub const CONTAINER: EventMask = #container;
        }
    }
}

fn operations() -> TokenStream {
    quote! {
        impl EventMask {
            /// The set of this event alone; empty for the zero value and the sentinel of [`Event`].
            pub const fn from_event(event: Event) -> EventMask {
                EventMask(event.bit())
            }

            /// The set of these bits.
            ///
            /// # Errors
            ///
            /// If a bit stands for no event of this revision.
            pub const fn from_bits(bits: i32) -> ::core::result::Result<EventMask, UnknownEvents> {
                match bits & !EventMask::ALL.0 {
                    0 => Ok(EventMask(bits)),
                    unknown => Err(UnknownEvents(unknown)),
                }
            }

            /// The set of those bits that stand for an event of this revision.
            pub const fn from_bits_truncate(bits: i32) -> EventMask {
                EventMask(bits & EventMask::ALL.0)
            }

            /// The bits, as they go into `ConfigureResponse.events`.
            pub const fn bits(self) -> i32 {
                self.0
            }

            /// Whether the set holds no event.
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Number of events in the set.
            pub const fn len(self) -> usize {
                self.0.count_ones() as usize
            }

            /// Whether the event is in the set.
            pub const fn contains(self, event: Event) -> bool {
                self.0 & event.bit() != 0
            }

            /// Whether every event of `other` is in the set.
            pub const fn contains_all(self, other: EventMask) -> bool {
                self.0 & other.0 == other.0
            }

            /// The set with this event.
            pub const fn with(self, event: Event) -> EventMask {
                EventMask(self.0 | event.bit())
            }

            /// The set without this event.
            pub const fn without(self, event: Event) -> EventMask {
                EventMask(self.0 & !event.bit())
            }

            /// Events that are in either set.
            pub const fn union(self, other: EventMask) -> EventMask {
                EventMask(self.0 | other.0)
            }

            /// Events that are in both sets.
            pub const fn intersection(self, other: EventMask) -> EventMask {
                EventMask(self.0 & other.0)
            }

            /// Events that are in this set and not in the other.
            pub const fn difference(self, other: EventMask) -> EventMask {
                EventMask(self.0 & !other.0)
            }

            /// The events in the set, by number.
            pub fn iter(self) -> impl ::core::iter::Iterator<Item = Event> {
                Event::ALL.into_iter().filter(move |event| self.contains(*event))
            }
        }
    }
}

fn conversions() -> TokenStream {
    quote! {
        impl ::core::convert::From<Event> for EventMask {
            fn from(event: Event) -> Self {
                EventMask::from_event(event)
            }
        }

        impl ::core::convert::TryFrom<i32> for EventMask {
            type Error = UnknownEvents;

            fn try_from(bits: i32) -> ::core::result::Result<Self, UnknownEvents> {
                EventMask::from_bits(bits)
            }
        }

        impl ::core::convert::From<EventMask> for i32 {
            fn from(mask: EventMask) -> Self {
                mask.bits()
            }
        }

        impl ::core::iter::FromIterator<Event> for EventMask {
            fn from_iter<I: ::core::iter::IntoIterator<Item = Event>>(events: I) -> Self {
                events.into_iter().fold(EventMask::EMPTY, EventMask::with)
            }
        }

        impl ::core::iter::Extend<Event> for EventMask {
            fn extend<I: ::core::iter::IntoIterator<Item = Event>>(&mut self, events: I) {
                *self = events.into_iter().fold(*self, EventMask::with);
            }
        }
    }
}

fn text() -> TokenStream {
    quote! {
        /// Names of the events with commas between, as the Go API prints them.
        impl ::core::fmt::Display for EventMask {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                for (index, event) in self.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    f.write_str(event.name())?;
                }
                Ok(())
            }
        }

        impl ::core::fmt::Debug for EventMask {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(f, "EventMask({self})")
            }
        }

        /// Names with commas between, in any case, as the Go API reads them: events (`RunPodSandbox`, with space
        /// around if need be), `all`, `pod` or `podsandbox`, `container` (these without space).
        impl ::core::str::FromStr for EventMask {
            type Err = UnknownEventName;

            fn from_str(names: &str) -> ::core::result::Result<Self, UnknownEventName> {
                let mut mask = EventMask::EMPTY;
                for name in names.to_lowercase().split(',') {
                    mask = mask.union(match name {
                        "all" => EventMask::ALL,
                        "pod" | "podsandbox" => EventMask::POD,
                        "container" => EventMask::CONTAINER,
                        name => Event::ALL
                            .into_iter()
                            .find(|event| event.name().eq_ignore_ascii_case(name.trim()))
                            .map(EventMask::from_event)
                            .ok_or_else(|| UnknownEventName(::std::string::String::from(name)))?,
                    });
                }
                Ok(mask)
            }
        }
    }
}

//! The generated bindings of three revisions, as a crate that uses them sees them.

mod dispatch;
mod event_mask;
mod messages_of_nri;
mod round_trip;

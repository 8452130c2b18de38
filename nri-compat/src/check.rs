//! Finds files, reads evidence, and judges it against targets, to find the plugins that still use
//! deprecated interfaces.
//!
//! The three steps share only plain types. A reader of [`evidence`] reports what it saw, without
//! interpretation; [`verdict`] decides what it means for a target; the renderers of
//! [`crate::report`] print it.

pub mod assess;
pub mod collect;
pub mod content;
pub(crate) mod escape;
pub mod events;
pub mod evidence;
mod facts;
mod join;
pub mod logs;
mod needles;
pub mod packages;
mod packing;
pub mod place;
pub mod progress;
pub(crate) mod scratch;
pub mod sighting;
pub mod skipped;
pub mod target;
pub mod verdict;

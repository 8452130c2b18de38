//! Which plugins still use deprecated interfaces: find files, read evidence, judge it against targets.
//!
//! Three steps that share only plain types: a reader of [`evidence`] says what it saw, never what it means;
//! [`verdict`] says what that means for a target; the renderers of [`crate::report`] print it.

pub mod assess;
pub mod collect;
pub mod content;
pub mod events;
pub mod evidence;
mod join;
pub mod logs;
pub mod packages;
mod packing;
pub mod progress;
pub(crate) mod scratch;
pub mod sighting;
pub mod target;
pub mod verdict;

//! Finds files, reads evidence, and judges it against targets, to find the plugins that still use
//! deprecated interfaces.
//!
//! The three steps share only plain types. A reader of [`evidence`] reports [`crate::sighting`]s,
//! without interpretation; [`verdict`] decides what it means for a target; the renderers of
//! [`crate::report`] print it.

pub mod assess;
mod bridged;
pub mod collect;
mod collected;
mod container;
pub mod content;
pub mod events;
pub mod evidence;
mod find;
mod go_build;
mod identity;
mod importers;
mod incident;
mod kubernetes;
pub mod logs;
mod observations;
mod packages;
mod parallel;
#[cfg(feature = "cluster")]
pub(crate) mod pools;
pub mod progress;
mod read;
mod recognise;
mod removal;
mod request;
mod scan;
mod settings;
pub mod target;
mod unjudged;
pub mod verdict;

//! Finds files: those that the user named, those that the runtimes of a machine use, and those that
//! processes run.

pub(super) mod configurations;
pub(super) mod machine_root;
pub(super) mod processes;
pub(super) mod roots;
pub(super) mod runtime;
pub(super) mod visit;
pub(super) mod walk;

//! The command and its other subcommands, as users run them.

mod cli;
mod data;
mod diff;
mod json;
mod logs;
mod machine;
mod merge;

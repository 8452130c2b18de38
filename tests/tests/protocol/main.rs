//! The protocol as data, and what is generated from it.

mod codegen;
#[cfg(feature = "slow-tests")]
mod codegen_compiles;
mod codegen_options;
#[cfg(feature = "slow-tests")]
mod counting;
#[cfg(feature = "slow-tests")]
mod documents;
mod fields;
mod how_it_works;
mod json;
mod links;
#[cfg(feature = "slow-tests")]
mod memory;
mod protos;
mod shipped;

//! The protocol as data, and what is generated from it.

mod codegen;
mod codegen_compiles;
mod codegen_options;
mod counting;
mod fields;
mod json;
mod links;
mod memory;
mod protos;
mod shipped;

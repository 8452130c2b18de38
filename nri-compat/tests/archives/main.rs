//! Archives and images, both well-formed and malformed: each is created here, with the expected
//! result.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod compression;
mod entries;
mod images;
mod links;

//! Archives and images, both well-formed and malformed: each is created here, with the expected
//! result.

mod attacks;
mod compression;
mod entries;
mod images;
mod links;

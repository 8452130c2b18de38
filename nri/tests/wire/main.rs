//! `nri::wire` against a peer that speaks in bytes, and against itself.

mod both_ends;
mod calling;
mod ending;
mod peer;
mod service;
mod serving;

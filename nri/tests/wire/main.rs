//! Tests of `nri::wire` with a peer that works on bytes, and with itself.

mod both_ends;
mod calling;
mod ending;
mod peer;
mod service;
mod serving;
mod threads;

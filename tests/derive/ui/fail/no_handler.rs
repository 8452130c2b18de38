use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "logger", index = "10")]
struct Plugin;


fn main() {}

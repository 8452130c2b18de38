/// A status code of gRPC and ttrpc. A peer may send any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

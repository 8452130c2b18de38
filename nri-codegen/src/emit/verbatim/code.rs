/// A status code, as gRPC and ttrpc number them. A peer may send any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

//! Protos that are difficult for a generator, and the result of compiling its output.

mod batch;
mod cases;
mod random;

pub use batch::{Batch, Bindings, Files, NO_STD, bindings};
pub use cases::{Case, Expected, cases};
pub use random::random;

/// The declarations that a proto needs to be an NRI protocol, to be put before others.
pub const NRI: &str = "
enum Event { UNKNOWN = 0; RUN_POD_SANDBOX = 1; LAST = 2; }
message NriEmpty {}
service Plugin {
  rpc Configure(NriEmpty) returns (NriEmpty);
  rpc StateChange(NriEmpty) returns (NriEmpty);
}
";

//! The description that a built plugin carries, which can be read from the file without running it.
//!
//! The derive puts one manifest into the read-only data of every program that runs a plugin:
//!
//! | bytes | what |
//! | --- | --- |
//! | 16 | [`MAGIC`]: `NRI-PLUGIN-INFO` and the byte `01`, the version of this layout |
//! | 4 | length of the text that follows, unsigned, little endian; at most [`MAX_LEN`] |
//! | length | one JSON object in ASCII, without line breaks |
//!
//! The object's members, of which later releases may add more:
//!
//! | member | what |
//! | --- | --- |
//! | `format` | 1 |
//! | `name`, `index` | name and index of the plugin, or null where it gets them when it starts |
//! | `nri` | version of this crate |
//! | `protocol` | newest NRI release that the plugin knows |
//! | `min_protocol` | oldest NRI release that it is meant for, or null |
//! | `events` | names of the events that it subscribes to |
//! | `required` | names of those that it refuses to run without |
//! | `deprecated` | names of the deprecated RPCs that it has a handler for |
//!
//! A scanner looks for the marker anywhere in the file, and takes what follows it for a manifest only if length and text
//! are as they should be: the marker alone is in every program that scans for it. The same manifest may occur more than once.
//!
//! ```
//! use nri::prelude::*;
//! use nri::manifest;
//! use nri::plugin::Plugin;
//!
//! #[derive(NriPlugin)]
//! #[nri(name = "counter", index = "10", protocol = "0.11")]
//! struct Counter;
//!
//! impl RunPodSandbox for Counter {
//!     async fn run_pod_sandbox(&self, _: &Context, _: PodSandbox) -> nri::Result<()> {
//!         Ok(())
//!     }
//! }
//!
//! let file = [b"some program", Counter::MANIFEST, b"and more of it"].concat();
//! let found: Vec<&str> = manifest::find(&file).collect();
//! assert_eq!(found.len(), 1);
//! assert!(found[0].starts_with(r#"{"format":1,"name":"counter","index":"10","#));
//! assert!(found[0].contains(r#""events":["RUN_POD_SANDBOX"]"#));
//! ```

mod find;
pub(crate) mod render;

pub use find::find;

use crate::plugin::Plugin;

/// The manifest of a plugin, for the code that runs it: through this use it stays in the program.
pub fn embed<P: Plugin>() -> &'static [u8] {
    std::hint::black_box(P::MANIFEST)
}

/// The marker before every manifest.
pub const MAGIC: [u8; 16] = *b"NRI-PLUGIN-INFO\x01";

/// The longest text that a manifest may have, in bytes.
pub const MAX_LEN: usize = 4096;

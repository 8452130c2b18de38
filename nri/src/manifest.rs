//! The description embedded in the executable of a plugin, which can be read without running it.
//!
//! The derive puts one manifest into the read-only data of every program that runs a plugin:
//!
//! | bytes | content |
//! | --- | --- |
//! | 16 | [`MAGIC`]: `NRI-PLUGIN-INFO` and the byte `01`, the version of this layout |
//! | 4 | length of the text that follows, unsigned, little endian; at most [`MAX_LEN`] |
//! | length | one JSON object in ASCII, without line breaks |
//!
//! The members of the object; later releases may add more:
//!
//! | member | content |
//! | --- | --- |
//! | `format` | 1 |
//! | `name`, `index` | name and index of the plugin, or null if they are set at start |
//! | `nri` | version of this crate |
//! | `protocol` | newest NRI release that the plugin knows |
//! | `min_protocol` | oldest NRI release that it runs under, or null |
//! | `events` | names of the events that it subscribes to |
//! | `required` | names of the events that it refuses to run without |
//! | `required_fields` | the same for fields of the answer to CreateContainer, such as `adjust.CDI_devices` |
//! | `deprecated` | names of the deprecated RPCs that it handles |
//!
//! A scanner searches the file for the marker, and accepts a manifest only if the length and the
//! text after it are valid, because every program that scans for the marker contains it too. The
//! same manifest may occur more than once.
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
//!     async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
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

pub(crate) mod render;

use crate::plugin::Plugin;

/// Returns the manifest of a plugin. Code that runs the plugin calls this to keep the manifest in
/// the program.
pub fn embed<P: Plugin>() -> &'static [u8] {
    std::hint::black_box(P::MANIFEST)
}

/// The marker before every manifest.
pub const MAGIC: [u8; 16] = *b"NRI-PLUGIN-INFO\x01";

/// The maximum length of the text of a manifest in bytes.
pub const MAX_LEN: usize = 4096;

/// Returns the text of every manifest in a file, in the order of the file, with duplicates.
///
/// The text has a valid length and looks like a JSON object, but has not been parsed.
pub fn find(file: &[u8]) -> impl Iterator<Item = &str> {
    let starts = file.windows(MAGIC.len()).enumerate().filter(|(_, window)| *window == MAGIC);
    starts.filter_map(|(at, _)| text(file.get(at + MAGIC.len()..)?))
}

fn text(after_marker: &[u8]) -> Option<&str> {
    let (encoded, rest) = after_marker.split_first_chunk::<4>()?;
    let length =
        usize::try_from(u32::from_le_bytes(*encoded)).ok().filter(|length| *length <= MAX_LEN)?;
    let text = str::from_utf8(rest.get(..length)?).ok()?;
    let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    (printable && text.starts_with('{') && text.ends_with('}')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(length: u32, text: &str) -> Vec<u8> {
        [&MAGIC[..], &length.to_le_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn a_marker_without_a_manifest_is_passed_over() {
        let file = [
            &MAGIC[..],
            &manifest(u32::MAX, "{}"),
            &manifest(3, "{}"),
            &manifest(2, "[]"),
            &manifest(3, "{\n}"),
            &manifest(2, "{}"),
            &MAGIC[..7],
        ];
        assert_eq!(find(&file.concat()).collect::<Vec<_>>(), ["{}"]);
    }

    #[test]
    fn text_cut_short_is_none() {
        let whole = manifest(2, "{}");
        for end in 0..whole.len() {
            assert_eq!(find(&whole[..end]).count(), 0, "cut at {end}");
        }
        assert_eq!(find(&whole).count(), 1);
    }
}

//! Reads any bytes as reports of nodes: to the end, without a panic, with the same result for
//! pieces of any size. A valid report on its own line after them is found.

use std::io::Read;

use nri_compat::merge::Merge;
use nri_compat::report::merge::MergeReport;

const SOUND: &[u8] = b"\n{\"schema\":1,\"subjects\":[]}\n";

/// Returns at most this many bytes per read.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = self.1.min(buffer.len());
        self.0.read(&mut buffer[..piece])
    }
}

fn merged(input: &mut dyn Read) -> MergeReport {
    let mut merge = Merge::default();
    merge.read("fuzz", input);
    merge.finish(&[])
}

/// Runs the target once.
pub(crate) fn run(input: (u8, &[u8])) {
    let (piece, bytes) = input;
    let whole = merged(&mut &bytes[..]);
    assert_eq!(whole, merged(&mut Pieces(bytes, usize::from(piece) + 1)));
    // Nothing is read after a compressed stream.
    if [&b"\x1f\x8b\x08"[..], b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0"]
        .iter()
        .any(|magic| bytes.starts_with(magic))
    {
        return;
    }
    let followed = merged(&mut bytes.chain(SOUND));
    assert_eq!(followed.summary.reports, whole.summary.reports + 1);
}

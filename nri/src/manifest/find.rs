//! Finds manifests in the bytes of a file.

use super::{MAGIC, MAX_LEN};

/// Returns the text of every manifest in a file, in the order of the file, with duplicates.
///
/// The text has a valid length and looks like a JSON object, but has not been parsed.
pub fn find(file: &[u8]) -> impl Iterator<Item = &str> {
    let starts = file
        .windows(MAGIC.len())
        .enumerate()
        .filter(|(_, window)| *window == MAGIC);
    starts.filter_map(|(at, _)| text(file.get(at + MAGIC.len()..)?))
}

fn text(after_marker: &[u8]) -> Option<&str> {
    let (length, rest) = after_marker.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length))
        .ok()
        .filter(|length| *length <= MAX_LEN)?;
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

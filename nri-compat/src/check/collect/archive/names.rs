//! Paths of entries: relative to the root of the archive, without `.`, and without a way out.

/// Prefix of a whiteout's name.
const WHITEOUT: &[u8] = b".wh.";

/// Name of the marker that hides all that lower layers have in its folder.
const OPAQUE: &[u8] = b".wh..wh..opq";

/// The path of an entry, `usr/bin/x`; empty for the root itself, `None` if it leads out of the archive.
pub(super) fn clean(path: &[u8]) -> Option<Vec<u8>> {
    let mut clean: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                clean.pop()?;
            }
            part => clean.push(part),
        }
    }
    Some(clean.join(&b'/'))
}

/// The folder of a path and its last component.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(place) => (
            path.get(..place).unwrap_or_default(),
            path.get(place + 1..).unwrap_or_default(),
        ),
        None => (b"", path),
    }
}

/// What an entry hides of lower layers by its name alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whiteout {
    /// The path, and everything below.
    Gone(Vec<u8>),
    /// Everything in the folder.
    Opaque(Vec<u8>),
    /// Nothing: a note of the storage driver.
    Note,
}

/// What a whiteout hides; `None` for any other entry.
///
/// [The format](https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts).
pub(super) fn whiteout(path: &[u8]) -> Option<Whiteout> {
    let (folder, name) = split(path);
    let hidden = name.strip_prefix(WHITEOUT)?;
    Some(if name == OPAQUE {
        Whiteout::Opaque(folder.to_vec())
    } else if hidden.is_empty() || hidden.starts_with(WHITEOUT) {
        Whiteout::Note
    } else if folder.is_empty() {
        Whiteout::Gone(hidden.to_vec())
    } else {
        Whiteout::Gone([folder, hidden].join(&b'/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_within_the_archive() {
        let clean =
            |path: &str| clean(path.as_bytes()).map(|path| String::from_utf8(path).unwrap());
        assert_eq!(clean("./usr//bin/./x/"), Some("usr/bin/x".to_owned()));
        assert_eq!(clean("/a/../b"), Some("b".to_owned()));
        assert_eq!(clean("./"), Some(String::new()));
        assert_eq!(clean("a/../../b"), None);
    }

    #[test]
    fn whiteouts_are_known_by_their_names() {
        let gone = |path: &[u8]| Some(Whiteout::Gone(path.to_vec()));
        assert_eq!(whiteout(b"a/.wh.b"), gone(b"a/b"));
        assert_eq!(whiteout(b".wh.b"), gone(b"b"));
        assert_eq!(
            whiteout(b"a/.wh..wh..opq"),
            Some(Whiteout::Opaque(b"a".to_vec()))
        );
        assert_eq!(whiteout(b".wh..wh.plnk"), Some(Whiteout::Note));
        assert_eq!(whiteout(b"a/wh.b"), None);
    }
}

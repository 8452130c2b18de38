//! Reads any bytes as a reference, as the challenge of a registry, and as the answer of a token
//! server. Manifests and layers are those of the target `archive`.

use nri_compat::registry::{Digest, Reference, challenges, token_of};

/// Runs the target once.
pub(crate) fn run(bytes: &[u8]) {
    if let Some(token) = token_of(bytes) {
        assert!(!token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let _ = challenges(text);
    if let Some(digest) = Digest::parse(text) {
        assert_eq!(digest.to_string(), text);
    }
    match Reference::parse(text) {
        Ok(reference) => {
            let shown = reference.to_string();
            // It is shown in full, with the tag that it has if none is given.
            let again = Reference::parse(&shown).expect("what is shown is a reference");
            assert_eq!(again.to_string(), shown, "{text}");
            assert_eq!(again.repository(), reference.repository(), "{text}");
            assert!(shown.bytes().all(|byte| byte.is_ascii_graphic()));
        }
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
}

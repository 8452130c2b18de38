//! Compiles any text as a proto: it is accepted or rejected with a location, and comparing its
//! schema with that of the encoded descriptors yields no findings.

use nri_compat::diff::{self, breaking};
use nri_schema::model::Protocol;
use nri_schema::{Schema, compile};

/// Runs the target once.
pub(crate) fn run(text: &str) {
    let compiled = match compile::text("fuzz.proto", text) {
        Ok(compiled) => compiled,
        Err(error) => {
            assert!(!format!("{error:?}").is_empty());
            return;
        }
    };
    let Ok(protocol) = Protocol::read(&compiled) else {
        return;
    };
    assert!(protocol.names().all(|name| protocol.has(name)));
    let text_of = |name: &str| compiled.texts.get(name).cloned();
    let of_pool = diff::adjusted(Schema::of_pool(&compiled.pool).expect("a model"), text_of);
    // A set is refused if it takes far more memory than it has bytes.
    if let Ok(of_set) = Schema::decode(&compiled.pool.encode_to_vec()) {
        assert!(breaking(&of_pool, &diff::adjusted(of_set, text_of), &[]).is_empty());
    }
}

//! Compiles any text as a proto: it is accepted or rejected with a location, and comparing it with
//! itself yields no findings.

use nri_compat::diff::{self, breaking};
use nri_schema::compile;
use nri_schema::model::Protocol;

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
    if let Ok(schema) =
        diff::schema(&compiled.pool.encode_to_vec(), |name| compiled.texts.get(name).cloned())
    {
        assert!(breaking(&schema, &schema, &[]).is_empty());
    }
}

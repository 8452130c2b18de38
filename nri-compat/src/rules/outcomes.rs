//! The outcomes of `conformance`, `probe` and `replay` that stand for an incident.

/// Returns the commands that see an incident with this id, each with its outcome.
#[cfg(feature = "conformance")]
pub(crate) fn seen_by(id: &str) -> &'static [(&'static str, &'static str)] {
    let incident = nri_conformance::incident::Incident::from_id(id);
    incident.map_or(&[], |incident| incident.seen_by())
}

/// Returns nothing, because this build has only `logs`.
#[cfg(not(feature = "conformance"))]
pub(crate) fn seen_by(_: &str) -> &'static [(&'static str, &'static str)] {
    &[]
}

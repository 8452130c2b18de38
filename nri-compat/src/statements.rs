//! The statements of the lifecycle contract, which policies name like rules. Without the feature
//! `conformance` there are none.

#[cfg(feature = "conformance")]
pub(crate) use nri_conformance::contract::ids;

/// Returns no id: this build does not know the contract.
#[cfg(not(feature = "conformance"))]
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// Returns true if a statement has exactly this id.
pub(crate) fn contains(id: &str) -> bool {
    ids().any(|known| known == id)
}

//! The derive macro of the nri crate: dispatch tables with StateChange fallback and deprecation warnings.
#![forbid(unsafe_code)]

//! The NRI protocol as data: one proto file per revision and the tables of releases, runtimes and deprecations.
#![forbid(unsafe_code)]

//! The Go programs of `specimens.toml`: `check` reads them, also damaged, and agrees with `probe`.

mod check_binaries;
mod hostile_damage;
mod prints;
mod probe_compare;

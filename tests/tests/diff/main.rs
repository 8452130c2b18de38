//! The command `diff`: its rules, its pairings, and its reports.

#[cfg(feature = "buf")]
mod buf;
#[cfg(feature = "go")]
mod diff_modules;
mod equal;
mod hostile_sets;
mod invalid;
mod nri_rules;
mod pairings;
mod pairings_facts;
mod pairings_missing;
mod reports;
mod rules;
mod transfers;

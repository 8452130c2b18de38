//! The check of each rule of buf's.

use super::buf_rules::files::{FileOption, flag, optimize_for};
use super::buf_rules::{
    Check, cardinality, default, deletion, enums, fields, files, messages, ranges, services,
    strings, types,
};
use crate::rules::table::buf_rules;

macro_rules! checks {
    ($($id:literal => $kind:ident($check:expr),)*) => {
        /// The rules of `buf breaking` by id, in the order of the table.
        pub(super) static CHECKS: &[(&str, Check)] = &[$(($id, Check::$kind($check))),*];
    };
}

buf_rules!(checks);

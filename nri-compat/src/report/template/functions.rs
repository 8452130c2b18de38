//! The functions and filters of templates, in addition to those of minijinja.

use minijinja::Environment;

use super::escape;
use crate::book;
use crate::report::count::{bytes, counted};
use crate::report::group::short;

/// Adds all functions and filters.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("code", |name: &str| escape::code(name));
    environment.add_filter("cell", escape::cell);
    environment.add_filter("property", |text: &str| escape::property(text));
    environment.add_filter("join", join);
    environment.add_filter("bytes", bytes);
    environment.add_filter("counted", |count: usize, noun: &str| counted(count, noun));
    environment.add_filter("hex", |mask: i64| format!("{:#x}", mask & 0xffff_ffff));
    environment.add_filter("millis", millis);
    environment.add_filter("seconds", seconds);
    environment.add_filter("short", |element: &str| short(element).to_owned());
    // The address of the page about a rule or a statement.
    environment.add_filter("page", |id: &str| book::page(id));
}

/// Returns the texts with a separator between them.
fn join(texts: Vec<String>, separator: Option<String>) -> String {
    texts.join(separator.as_deref().unwrap_or_default())
}

/// Returns milliseconds with a unit: `0.3 ms`, `12 ms`.
fn millis(millis: f64) -> String {
    if millis < 10.0 {
        format!("{millis:.1} ms")
    } else {
        format!("{millis:.0} ms")
    }
}

/// Returns milliseconds as seconds: `0.031`.
fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

//! Sources of mounts whose propagation both implementations determine in the same way.

use std::fs;
use std::sync::LazyLock;

/// The mount points of this machine that occur once, and missing directories below them. Mount
/// points whose text starts with that of another mount, such as `/ab` and `/a`, are omitted,
/// because the reference confuses them.
pub(super) static SOURCES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let table = fs::read_to_string("/proc/self/mountinfo").expect("/proc is mounted");
    let points: Vec<&str> = table
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .filter(|point| !point.contains('\\'))
        .collect();
    let is_clear = |point: &&str| {
        let same = points.iter().filter(|other| *other == point).count();
        let starts_alike = points.iter().any(|other| {
            let below = format!("{}/", other.trim_end_matches('/'));
            point.starts_with(*other) && !point.starts_with(&below) && point != other
        });
        same == 1 && !starts_alike
    };
    let clear: Vec<&str> = points.iter().copied().filter(is_clear).collect();
    let below = clear.iter().map(|point| format!("{}/./~absent/../~", point.trim_end_matches('/')));
    let relative = ["relative".to_owned(), String::new()];
    let plain = clear.iter().map(ToString::to_string);
    plain.chain(below).chain(relative).collect()
});

//! Sources of mounts on this machine, whose propagation both sides read alike.

use std::fs;
use std::sync::LazyLock;

/// Mount points of which there is one, and folders that do not exist below them. The reference takes `/a` for the mount of
/// `/ab`, so none of them starts with the mount point of another as text but not as a path.
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
    let below = clear
        .iter()
        .map(|point| format!("{}/./~absent/../~", point.trim_end_matches('/')));
    let relative = ["relative".to_owned(), String::new()];
    let points = clear.iter().map(ToString::to_string);
    points.chain(below).chain(relative).collect()
});

//! Near matches for what nobody knows: by number where it has numbers, else by spelling.

use std::cmp::Ordering;

/// How many near matches are offered.
const OFFERED: usize = 5;
/// Spelling closer than this (Jaro-Winkler, 1 is equal) is worth offering.
const ALIKE: f64 = 0.75;

/// The names in `known` that are nearest to `asked`, nearest first.
pub(crate) fn names<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let asked = asked.to_lowercase();
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&asked, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
    alike.truncate(OFFERED);
    alike.into_iter().map(|(_, name)| name).collect()
}

/// The versions in `known` that are numerically nearest to `asked`, nearest first; by spelling if `asked` has no number.
pub(crate) fn versions<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let Some(numbers) = numbers(asked) else {
        return names(asked, known);
    };
    let mut near: Vec<([u64; 3], &str)> = known
        .into_iter()
        .filter_map(|name| Some((distance(numbers, self::numbers(name)?), name)))
        .collect();
    near.sort();
    near.truncate(OFFERED);
    near.into_iter().map(|(_, name)| name).collect()
}

fn distance(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    std::array::from_fn(|part| a[part].abs_diff(b[part]))
}

/// Major, minor and patch of what starts like a version; missing ones count as 0.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    let core = version.trim().trim_start_matches(['v', 'V']);
    let core = core.split(['-', '+']).next().unwrap_or(core);
    for (slot, part) in numbers.iter_mut().zip(core.split('.')) {
        *slot = part.parse().ok()?;
    }
    Some(numbers)
}

/// `help` text that offers `near`, or else points at all of them.
pub(crate) fn help(near: &[&str], otherwise: &str) -> String {
    match near {
        [] => otherwise.to_owned(),
        near => format!("near matches: {}", near.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    const KNOWN: [&str; 4] = ["v0.2.0", "v0.11.0", "v0.12.0", "v0.12.4"];

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert_eq!(
            super::versions("0.12.9", KNOWN)[..2],
            ["v0.12.4", "v0.12.0"]
        );
        assert_eq!(super::versions("v0.10", KNOWN)[0], "v0.11.0");
    }

    #[test]
    fn words_are_compared_by_spelling() {
        assert_eq!(
            super::names("contianerd", ["containerd", "cri-o"]),
            ["containerd"]
        );
        assert!(super::versions("nonsense", KNOWN).is_empty());
    }
}

//! Similar names for an unknown one: by number for versions, by spelling for all others.

/// The maximum number of suggestions.
const MAX_OFFERED: usize = 5;
/// The minimum similarity (Jaro-Winkler, 1 is equal) of a suggestion.
const MIN_SIMILARITY: f64 = 0.75;

/// Returns the names in `known` with the most similar spelling to `asked`, most similar first.
pub fn names<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let asked = asked.to_lowercase();
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&asked, &name.to_lowercase()), name))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.truncate(MAX_OFFERED);
    alike.into_iter().map(|(_, name)| name).collect()
}

/// Returns the versions in `known` that are numerically nearest to `asked`, nearest first, and
/// always the newest one; by spelling if `asked` has no number.
pub fn versions<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let Some(wanted) = numbers(asked) else {
        return names(asked, known);
    };
    let known: Vec<_> = known.into_iter().filter_map(|name| Some((numbers(name)?, name))).collect();
    // Of several names for the newest, the last is the release.
    let newest = known.iter().max().map(|(_, name)| *name);
    let mut by_distance: Vec<_> =
        known.iter().map(|(number, name)| (distance(wanted, *number), *name)).collect();
    by_distance.sort();
    let mut near: Vec<&str> = by_distance.into_iter().map(|(_, name)| name).collect();
    near.dedup();
    near.truncate(MAX_OFFERED);
    if let Some(newest) = newest.filter(|newest| !near.contains(newest)) {
        near.truncate(MAX_OFFERED - 1);
        near.push(newest);
    }
    near
}

fn distance(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    std::array::from_fn(|part| a[part].abs_diff(b[part]))
}

/// Returns major, minor and patch of a text that starts like a version; missing parts count as 0.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    let core = version.trim().trim_start_matches(['v', 'V']);
    let core = core.split(['-', '+']).next().unwrap_or(core);
    for (slot, part) in numbers.iter_mut().zip(core.split('.')) {
        *slot = part.parse().ok()?;
    }
    Some(numbers)
}

/// Returns a help text that lists `near`, or `otherwise` if it is empty.
pub fn help(near: &[&str], otherwise: &str) -> String {
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
        assert_eq!(super::versions("0.12.9", KNOWN)[..2], ["v0.12.4", "v0.12.0"]);
        assert_eq!(super::versions("v0.10", KNOWN)[0], "v0.11.0");
    }

    #[test]
    fn the_newest_is_always_among_them() {
        let patches: Vec<String> = (0..20).map(|patch| format!("v0.2.{patch}")).collect();
        let near = super::versions("v0.2.7", patches.iter().map(String::as_str).chain(KNOWN));
        assert_eq!((near.len(), near[0], near[4]), (5, "v0.2.7", "v0.12.4"));
    }

    #[test]
    fn words_are_compared_by_spelling() {
        assert_eq!(super::names("contianerd", ["containerd", "cri-o"]), ["containerd"]);
        assert!(super::versions("nonsense", KNOWN).is_empty());
    }
}

//! Lists of CPUs and NUMA nodes in the kernel's notation.

/// Returns true if the text is a list as described by
/// [cpuset(7)](https://man7.org/linux/man-pages/man7/cpuset.7.html): numbers and ascending ranges.
pub(super) fn is_list(text: &str) -> bool {
    text.split(',').all(is_range)
}

fn is_range(text: &str) -> bool {
    match text.split_once('-') {
        None => number(text).is_some(),
        Some((first, last)) => {
            matches!((number(first), number(last)), (Some(first), Some(last)) if first <= last)
        }
    }
}

fn number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::is_list;

    #[test]
    fn lists_are_told_from_what_is_none() {
        for good in ["0", "0-3", "0-3,8", "7,1", "2-2"] {
            assert!(is_list(good), "{good}");
        }
        for bad in [
            "",
            ",",
            "3-1",
            "1-",
            "-1",
            "a",
            "1 ,2",
            "+1",
            "1-2-3",
            "99999999999",
        ] {
            assert!(!is_list(bad), "{bad}");
        }
    }
}

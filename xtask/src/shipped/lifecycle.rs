//! The section of each handler's documentation about its event: the state of pod and container, the
//! effect of an error, and the possible answers.

/// A section for each RPC that has one, under a heading with its name.
const SECTIONS: &str = include_str!("lifecycle.md");

/// The start of a heading.
const HEADING: &str = "\n## ";

/// Returns the lines of the section about an RPC; none for an RPC without a section.
pub(super) fn lines(rpc: &str) -> Vec<&'static str> {
    let section = sections().find(|(name, _)| *name == rpc);
    let Some((_, text)) = section else {
        return Vec::new();
    };
    std::iter::once("").chain(text.trim().lines()).collect()
}

/// Returns the name and text of each section.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    SECTIONS.split(HEADING).skip(1).filter_map(|section| section.split_once('\n'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shipped::rpc;
    use nri_schema::history::History;

    #[test]
    fn each_event_of_the_newest_revision_has_a_section_and_no_section_is_left_over() {
        let history = History::embedded().expect("the tables fit together");
        let plugin = rpc::read(&history).expect("it is NRI's");
        let events: BTreeSet<_> =
            plugin.rpcs.iter().filter(|rpc| rpc.event.is_some()).map(|rpc| rpc.name).collect();
        let described: BTreeSet<_> = sections().map(|(name, _)| name).collect();
        let missing: Vec<_> = events.difference(&described).collect();
        assert!(missing.is_empty(), "no section in lifecycle.md: {missing:?}");
        let others: Vec<_> = described.difference(&events).copied().collect();
        assert_eq!(others, ["Configure", "Synchronize"]);
        assert_eq!(sections().count(), described.len());
    }

    #[test]
    fn each_section_says_what_an_error_does_and_what_may_be_answered() {
        for (name, text) in sections() {
            assert!(text.contains("- **Error:**"), "{name}");
            assert!(text.contains("- **Answer:**"), "{name}");
        }
    }
}

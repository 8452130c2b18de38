//! Tests that the files and ids of the contract are consistent.

use std::collections::HashSet;
use std::hash::Hash;

use super::{FILES, Part, Statement, all, get, ids, position};

#[test]
fn every_file_parses_and_has_the_id_of_its_name() {
    for (id, text) in FILES {
        let statement: Statement =
            toml::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(statement.id, *id);
    }
    assert_eq!(all().len(), FILES.len());
}

#[test]
fn the_contract_is_ordered_and_without_gaps() {
    let positions: Vec<(usize, u32)> =
        ids().map(|id| position(id).unwrap_or_else(|| panic!("{id} belongs to no part"))).collect();
    assert!(positions.is_sorted());
    for part in 0..Part::ALL.len() {
        let numbers: Vec<u32> =
            positions.iter().filter(|(of, _)| *of == part).map(|(_, number)| *number).collect();
        let count = u32::try_from(numbers.len()).expect("a small number");
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "{part:?}");
        assert_ne!(count, 0, "{part:?}");
    }
}

#[test]
fn statements_refer_to_others_that_exist_and_refer_back() {
    for statement in all() {
        let Statement { id, related, .. } = statement;
        for other in related {
            let other = get(other).unwrap_or_else(|| panic!("{id}: no statement {other}"));
            assert!(other.related.contains(id), "{} does not refer back to {id}", other.id);
        }
        if let Some(same) = &statement.same_as {
            let same = get(same).unwrap_or_else(|| panic!("{id}: no statement {same}"));
            assert_eq!(same.same_as, None, "{id}: refer to the original");
            assert_eq!(
                (same.status, &same.kept_by, &same.since),
                (statement.status, &statement.kept_by, &statement.since)
            );
        }
    }
}

#[test]
fn every_statement_is_complete_and_well_formed() {
    for statement in all() {
        let Statement { id, kept_by, .. } = statement;
        assert!(!kept_by.is_empty(), "{id}: nobody keeps it");
        assert!(are_distinct(kept_by), "{id}: {kept_by:?}");
        let links: Vec<&String> =
            [&statement.source].into_iter().chain(&statement.see_also).collect();
        assert!(are_distinct(&links), "{id}: {links:?}");
        for link in links {
            assert!(link.starts_with("https://"), "{id}: {link}");
        }
        for text in [&statement.text, &statement.cost].into_iter().chain(&statement.note) {
            let begins = text.starts_with(|c: char| c.is_uppercase() || c == '`');
            assert!(begins && text.ends_with('.'), "{id}: {text}");
            assert!(!text.contains(['\n', '\t']), "{id}: {text}");
        }
        let explained = statement.is_firm() || statement.note.is_some();
        assert!(explained, "{id}: it never fails a run, and has no note");
        let release = format!("\nversion = \"{}\"\n", statement.since);
        assert!(nri_protos::VERSIONS_TOML.contains(&release), "{id}");
    }
}

fn are_distinct<T: Eq + Hash>(items: &[T]) -> bool {
    items.iter().collect::<HashSet<_>>().len() == items.len()
}

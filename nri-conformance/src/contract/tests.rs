//! Tests that the files and ids of the contract are consistent.

use std::collections::HashSet;

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
    let positions: Vec<(usize, u32)> = ids()
        .map(|id| position(id).unwrap_or_else(|| panic!("{id} belongs to no part")))
        .collect();
    assert!(positions.is_sorted());
    for part in 0..Part::ALL.len() {
        let numbers: Vec<u32> = positions
            .iter()
            .filter(|(of, _)| *of == part)
            .map(|(_, number)| *number)
            .collect();
        let count = u32::try_from(numbers.len()).expect("a small number");
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "{part:?}");
        assert_ne!(count, 0, "{part:?}");
    }
}

#[test]
fn keepers_are_unique_and_links_are_urls() {
    for statement in all() {
        let Statement { id, kept_by, .. } = statement;
        assert!(!kept_by.is_empty(), "{id}: nobody keeps it");
        let distinct: HashSet<_> = kept_by.iter().collect();
        assert_eq!(distinct.len(), kept_by.len(), "{id}: {kept_by:?}");
        let links: Vec<&String> = [&statement.source]
            .into_iter()
            .chain(&statement.see_also)
            .collect();
        assert!(
            links.iter().all(|link| link.starts_with("https://")),
            "{id}: {links:?}"
        );
        let distinct: HashSet<_> = links.iter().collect();
        assert_eq!(distinct.len(), links.len(), "{id}: {links:?}");
    }
}

#[test]
fn texts_are_sentences() {
    for statement in all() {
        let texts = [
            Some(&statement.text),
            Some(&statement.cost),
            statement.note.as_ref(),
        ];
        for text in texts.into_iter().flatten() {
            let id = &statement.id;
            assert!(text.ends_with('.'), "{id}: {text}");
            assert!(
                text.starts_with(|c: char| c.is_uppercase() || c == '`'),
                "{id}: {text}"
            );
            assert!(!text.contains(['\n', '\t']), "{id}: {text}");
        }
    }
}

#[test]
fn statements_refer_to_others_that_exist_and_refer_back() {
    for statement in all() {
        let Statement { id, related, .. } = statement;
        for other in related {
            let other = get(other).unwrap_or_else(|| panic!("{id}: no statement {other}"));
            assert!(
                other.related.contains(id),
                "{} does not refer back to {id}",
                other.id
            );
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
fn a_statement_that_never_fails_a_run_has_a_note() {
    for statement in all() {
        assert!(
            statement.is_firm() || statement.note.is_some(),
            "{}",
            statement.id
        );
    }
}

#[test]
fn the_releases_exist() {
    for statement in all() {
        let line = format!("\nversion = \"{}\"\n", statement.since);
        let known = nri_protos::VERSIONS_TOML.contains(&line);
        assert!(known, "{}: {}", statement.id, statement.since);
    }
}

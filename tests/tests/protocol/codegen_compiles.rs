//! Whatever the compiler of protos accepts either gives bindings that rustc accepts, or is refused
//! with file and line.

use std::panic;

use nri_codegen::{Builder, Error};
use nri_tests::generated::{Batch, Expected, NO_STD, bindings, cases, random};

/// Seeds of the random protos.
const SEEDS: std::ops::Range<u64> = 0..260;

#[test]
fn hard_protos_compile_or_are_refused_with_their_line() {
    let mut batch = Batch::default();
    let mut failures = Vec::new();
    for case in cases() {
        match (case.expected, bindings(&case.files, |builder| builder)) {
            (Expected::Compiles, Ok(source)) => batch.add(case.name, source),
            (Expected::Refused(fact, line), Err(error))
                if error.to_string().contains(fact)
                    && error.line() == Some(line)
                    && error.file().is_some() => {}
            (expected, Err(error)) => {
                failures.push(format!("{}: {expected:?}, found {error:?}", case.name));
            }
            (expected, Ok(_)) => failures.push(format!("{}: {expected:?}", case.name)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    batch.check("2024", "");
}

#[test]
fn random_protos_compile_or_are_refused_with_file_and_line() {
    let mut batch = Batch::default();
    let mut refused = Vec::new();
    for seed in SEEDS {
        let proto = random(seed);
        let files = [("case.proto".to_owned(), proto.clone())];
        let result = panic::catch_unwind(|| bindings(&files, |builder| options(builder, seed)));
        match result.unwrap_or_else(|_| panic!("seed {seed} panics:\n{proto}")) {
            Ok(source) => batch.add(proto, source),
            Err(error) => {
                assert_has_place(&error, seed);
                refused.push(error.to_string());
            }
        }
    }
    let compiled = SEEDS.count() - refused.len();
    assert!(compiled > 60, "only {compiled} compile:\n{}", refused.join("\n"));
    let names = ["in Rust", "are the same name"];
    let ours = refused.iter().filter(|error| names.iter().any(|words| error.contains(words)));
    assert!(ours.count() > 8, "too few names meet:\n{}", refused.join("\n"));
    batch.check("2021", "");
}

fn options(builder: Builder, seed: u64) -> Builder {
    builder
        .client(seed % 5 != 1)
        .server(seed % 7 != 1)
        .derive_serde(seed % 4 == 1)
        .ordered_maps(seed % 2 == 1)
}

fn assert_has_place(error: &Error, seed: u64) {
    for problem in format!("{error:?}").split("\n\n") {
        let place = problem.lines().find(|line| line.contains("--> "));
        let numbers = place.map(|place| place.rsplit(':').take(2));
        let has_place =
            numbers.is_some_and(|mut parts| parts.all(|part| part.parse::<u32>().is_ok()));
        assert!(has_place, "seed {seed}: {problem}");
    }
}

#[test]
fn bindings_compile_in_every_edition_and_without_std() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../protos/api/v0.12.4");
    let proto = std::fs::read_to_string(folder.join("api.proto")).unwrap();
    let files = [("api.proto".to_owned(), proto)];
    let mut batch = Batch::default();
    let serde = |builder: Builder| builder.derive_serde(true);
    batch.add("the newest revision", bindings(&files, |b| b).unwrap());
    batch.add("the newest revision with serde", bindings(&files, serde).unwrap());
    for edition in ["2018", "2021", "2024"] {
        batch.check(edition, "#![warn(clippy::all)]");
    }
    let mut without_std = Batch::default();
    let ordered = |builder: Builder| builder.ordered_maps(true);
    without_std.add("ordered maps", bindings(&files, ordered).unwrap());
    without_std.check("2021", NO_STD);
}

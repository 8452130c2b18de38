//! Compares the checklists in CONTRIBUTING.md for a new release of NRI with the places that a
//! person edited in the rehearsal of one.

const CONTRIBUTING: &str = include_str!("../../CONTRIBUTING.md");
const PLACES: &str = include_str!("../../.ci/rehearsal/places.txt");

/// Returns the text below a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    let (_, text) = CONTRIBUTING.split_once(&format!("\n## {heading}\n")).expect(heading);
    text.split_once("\n## ").expect("another section follows").0
}

/// Returns the files and folders that a text names.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|code| code.contains("/src/"))
}

#[test]
fn each_place_is_named_in_its_checklist() {
    for place in PLACES.lines() {
        let (file, what) = place.split_once(' ').expect(place);
        let heading = if what.starts_with("RuntimeRpc::") {
            "Add an RPC of the service Runtime"
        } else {
            "Add a field of an adjustment"
        };
        assert!(
            named(section(heading)).any(|path| file.starts_with(path)),
            "`{heading}` does not name {file} ({what})"
        );
    }
}

#[test]
fn checklists_name_only_what_exists() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in ["Add an RPC of the service Runtime", "Add a field of an adjustment"]
        .into_iter()
        .flat_map(|heading| named(section(heading)))
    {
        assert!(root.join(path).exists(), "{path}");
    }
}

//! Tests of places as text and as folders.

use super::*;

#[test]
fn places_are_shown_from_the_outside_in() {
    let image = Place::from("x.tar").in_image("p:1");
    for (place, shown, name, within) in [
        (Place::from("/opt/10-a"), "/opt/10-a", "10-a", None),
        (Place::from("/opt/"), "/opt/", "opt", None),
        (Place::from(""), "", "", None),
        (
            image.entry("/b/c"),
            "x.tar: p:1: /b/c",
            "c",
            Some("p:1: /b/c"),
        ),
        (
            image.entry("/go.mod").at_line(3),
            "x.tar: p:1: /go.mod:3",
            "go.mod",
            Some("p:1: /go.mod"),
        ),
        (Place::from("a (pid 1)"), "a (pid 1)", "a (pid 1)", None),
        (
            Place::from("a").run_by(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            "a (pid 1, 2, 3, 4, 5, 6, 7, 8 and 2 more)",
            "a",
            Some("pid 1, 2, 3, 4, 5, 6, 7, 8 and 2 more"),
        ),
    ] {
        assert_eq!(place.to_string(), shown);
        assert_eq!(
            (place.name(), place.within().as_deref()),
            (name, within),
            "{shown}"
        );
    }
}

#[test]
fn a_container_of_a_workload_is_shown_with_its_line() {
    let container = WorkloadPlace {
        document: Some(2),
        line: Some(7),
        kind: "Pod".into(),
        name: "p".into(),
        container: "c".into(),
        ..WorkloadPlace::default()
    };
    let place = Place::from("x.yaml").in_workload(container.clone());
    assert_eq!(place.to_string(), "x.yaml:7: Pod p: c");
    assert_eq!(place.whole_file().to_string(), "x.yaml: Pod p: c");
    assert_eq!((place.name(), place.line_on_disk()), ("c", Some(7)));
    assert_eq!(place.within().as_deref(), Some("Pod p: c"));

    let source = place.entry("/src/go.mod").at_line(3);
    assert_eq!(source.to_string(), "x.yaml:7: Pod p: c: /src/go.mod:3");
    assert_eq!((source.name(), source.line_on_disk()), ("go.mod", Some(7)));

    let whole = Place::from("x.yaml").in_workload(WorkloadPlace {
        container: String::new(),
        ..container
    });
    assert_eq!(
        (whole.to_string().as_str(), whole.name()),
        ("x.yaml:7: Pod p", "p")
    );
}

#[test]
fn folders_are_those_of_one_disk_or_image() {
    let module = Place::from("/src/go.mod");
    assert!(Place::from("/src/cmd/main.go").is_below_folder_of(&module));
    assert!(Place::from("main.go").is_below_folder_of(&Place::from("go.mod")));
    assert!(!Place::from("/source/main.go").is_below_folder_of(&module));
    assert!(
        !Place::from("x.tar")
            .entry("/src/a.go")
            .is_below_folder_of(&module)
    );
    let (one, other) = (
        Place::from("x.tar").in_image("a"),
        Place::from("x.tar").in_image("b"),
    );
    assert!(
        one.entry("/src/a.go")
            .is_below_folder_of(&one.entry("/src/go.mod"))
    );
    assert!(
        !one.entry("/src/a.go")
            .is_below_folder_of(&other.entry("/src/go.mod"))
    );
}

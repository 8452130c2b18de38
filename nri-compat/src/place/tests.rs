//! Tests of places as text and as folders.

use super::*;

#[test]
fn places_are_shown_from_the_outside_in() {
    let entry = Place::from("x.tar").in_image("p:1").entry("/go.mod");
    let pids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    let listed = "pid 1, 2, 3, 4, 5, 6, 7, 8 and 2 more";
    for (place, shown, name, within) in [
        ("/opt/".into(), "/opt/", "opt", None),
        ("".into(), "", "", None),
        (entry.at_line(3), "x.tar: p:1: /go.mod:3", "go.mod", Some("p:1: /go.mod")),
        (Place::from("a").run_by(&pids), &format!("a ({listed})"), "a", Some(listed)),
    ] {
        assert_eq!(place.to_string(), shown);
        let own = (place.name(), place.within());
        assert_eq!(own, (name, within.map(str::to_owned)), "{shown}");
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

    let whole =
        Place::from("x.yaml").in_workload(WorkloadPlace { container: String::new(), ..container });
    assert_eq!((whole.to_string().as_str(), whole.name()), ("x.yaml:7: Pod p", "p"));
}

#[test]
fn folders_are_those_of_one_disk_or_image() {
    let place = |image: &str, file: &str| match image {
        "" => Place::from(file),
        image => Place::from("x.tar").in_image(image).entry(file),
    };
    for (image, file, of_module, module, is_below) in [
        ("", "/src/cmd/main.go", "", "/src/go.mod", true),
        ("", "main.go", "", "go.mod", true),
        ("", "/source/main.go", "", "/src/go.mod", false),
        ("a", "/src/a.go", "", "/src/go.mod", false),
        ("a", "/src/a.go", "a", "/src/go.mod", true),
        ("a", "/src/a.go", "b", "/src/go.mod", false),
    ] {
        let (file, module) = (place(image, file), place(of_module, module));
        assert_eq!(file.is_below_folder_of(&module), is_below, "{file}");
    }
}

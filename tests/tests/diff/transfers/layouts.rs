//! Moves of messages, services, packages and files. Only the full names of services are on the
//! wire: a pairing works whatever else moves, and loses all calls to a service that has another
//! full name.

use nri_compat::diff::diff;
use nri_compat::report::diff::DiffReport as Report;
use nri_compat::report::finding::{Category, Level};
use nri_compat::report::pairing::{Pairing, PairingOutcome};
use nri_schema::History;

use super::protocols::REVISIONS;

/// The files of a protocol, by name.
type Files = Vec<(&'static str, String)>;

/// The parts of a proto at its top level.
struct Parts {
    package: String,
    /// Messages and enums.
    types: Vec<Block>,
    services: Vec<Block>,
}

struct Block {
    name: String,
    text: String,
}

impl Parts {
    fn of(text: &str) -> Self {
        let mut parts = Parts { package: String::new(), types: Vec::new(), services: Vec::new() };
        let mut open: Option<Block> = None;
        for line in text.lines() {
            let words: Vec<&str> = line.split([' ', ';', '{']).collect();
            match (words.as_slice(), &mut open) {
                (["package", name, ..], None) => parts.package = (*name).to_owned(),
                (["message" | "enum" | "service", name, ..], None) => {
                    open = Some(Block { name: (*name).to_owned(), text: String::new() });
                }
                _ => {}
            }
            let Some(block) = &mut open else {
                continue;
            };
            block.text += line;
            block.text += "\n";
            if line.trim_end().ends_with('}') && !line.starts_with(' ') && !line.starts_with('\t') {
                let all = match words[0].starts_with("service") || block.text.starts_with("service")
                {
                    true => &mut parts.services,
                    false => &mut parts.types,
                };
                all.extend(open.take());
            }
        }
        parts
    }

    fn service(&self, name: &str) -> Option<&Block> {
        self.services.iter().find(|service| service.name == name)
    }

    /// Returns the services, without one.
    fn services_without(&self, name: &str) -> String {
        let rest = self.services.iter().filter(|service| service.name != name);
        rest.map(|service| service.text.as_str()).collect()
    }

    fn types(&self) -> String {
        self.types.iter().map(|block| block.text.as_str()).collect()
    }
}

fn file(package: &str, imports: &[&str], text: &str) -> String {
    let lines: String = imports.iter().map(|name| format!("import \"{name}\";\n")).collect();
    format!("syntax = \"proto3\";\npackage {package};\n{lines}{text}")
}

/// Adds the package to the requests and answers of a service.
fn qualified(service: &str, package: &str) -> String {
    let mut text = String::new();
    for (at, part) in service.split('(').enumerate() {
        let is_type = at > 0;
        text += if is_type { "(" } else { "" };
        text += &if is_type { format!("{package}.{}", part.trim_start()) } else { part.to_owned() };
    }
    text
}

/// The layouts that change nothing on the wire.
fn harmless(parts: &Parts) -> Vec<(&'static str, Files)> {
    let package = parts.package.as_str();
    let all = parts.services_without("");
    let types = || file(package, &[], &parts.types());
    let mut layouts = vec![
        (
            "types in a file of their own",
            vec![("types.proto", types()), ("api.proto", file(package, &["types.proto"], &all))],
        ),
        (
            "types in another package",
            vec![
                ("types.proto", file("moved.types", &[], &parts.types())),
                ("api.proto", file(package, &["types.proto"], &qualified(&all, "moved.types"))),
            ],
        ),
        (
            "another name of the file",
            vec![("v2/plugin.proto", file(package, &[], &(parts.types() + &all)))],
        ),
    ];
    for name in ["Runtime", "Plugin", "HostFunctions"] {
        if let Some(service) = parts.service(name) {
            let rest = parts.services_without(name);
            layouts.push((
                "a service in a file of its own",
                vec![
                    ("types.proto", types()),
                    ("api.proto", file(package, &["types.proto"], &rest)),
                    ("service.proto", file(package, &["types.proto"], &service.text)),
                ],
            ));
        }
    }
    layouts
}

/// The layouts in which calls do not arrive.
fn harmful(parts: &Parts) -> Vec<(String, Files)> {
    let package = parts.package.as_str();
    let whole = parts.types() + &parts.services_without("");
    let mut layouts =
        vec![("another package".to_owned(), vec![("api.proto", file("moved.v2", &[], &whole))])];
    for service in &parts.services {
        let name = &service.name;
        let rest = parts.services_without(name);
        let moved = qualified(&service.text, package);
        layouts.push((
            format!("{name} in another package"),
            vec![
                ("api.proto", file(package, &[], &(parts.types() + &rest))),
                ("service.proto", file("moved.services", &["api.proto"], &moved)),
            ],
        ));
        let renamed = service.text.replacen(name.as_str(), &format!("{name}Service"), 1);
        layouts.push((
            format!("{name} under another name"),
            vec![("api.proto", file(package, &[], &(parts.types() + &rest + &renamed)))],
        ));
    }
    layouts
}

fn report(before: &str, after: &Files) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        std::fs::write(path, text).expect("a folder that can be written to");
    };
    write("before/api.proto", before);
    after.iter().for_each(|(name, text)| write(&format!("after/{name}"), text));
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    diff(&path("before"), &path("after"), Category::File)
        .unwrap_or_else(|error| panic!("{error:?}\n{after:?}"))
}

fn of_all(judge: impl Fn(&str, &Parts)) {
    let history = History::embedded().expect("the embedded tables fit together");
    for name in REVISIONS {
        let revision = history.revisions().iter().find(|revision| revision.name() == name);
        let text = revision.expect("the revision is known").proto();
        judge(text, &Parts::of(text));
    }
}

fn errors_of_nri(report: &Report) -> Vec<&'static str> {
    let errors = report
        .findings
        .iter()
        .filter(|finding| finding.level == Level::Error && finding.rule.starts_with("NRI_"));
    errors.map(|finding| finding.rule).collect()
}

#[test]
fn a_move_that_is_not_on_the_wire_works() {
    of_all(|text, parts| {
        for (what, files) in harmless(parts) {
            let report = report(text, &files);
            assert_eq!(report.pairings.len(), 2, "{what}");
            for pairing in &report.pairings {
                assert_eq!(pairing.outcome(), PairingOutcome::Works, "{what}: {pairing:#?}");
            }
            assert_eq!(errors_of_nri(&report), [""; 0], "{what}");
        }
    });
}

#[test]
fn a_service_with_another_full_name_gets_no_calls() {
    of_all(|text, parts| {
        for (what, files) in harmful(parts) {
            let report = report(text, &files);
            let fails = |pairing: &Pairing| pairing.outcome() > PairingOutcome::Fallback;
            assert_eq!(report.pairings.len(), 2, "{what}");
            assert!(report.pairings.iter().all(fails), "{what}: {:#?}", report.pairings);
            assert_ne!(errors_of_nri(&report), [""; 0], "{what}");
        }
    });
}

//! Files, folders and descriptor sets as schemas, and the errors for anything else.

use std::fs;
use std::path::Path;

use nri_schema::model::{FieldKind, Label};
use nri_schema::{Error, ErrorKind, Protocol, compile, source};
use prost::Message as _;

fn resolve(path: &Path) -> Result<nri_schema::Compiled, Error> {
    source::resolve(path.to_str().unwrap())
}

#[test]
fn a_bad_proto_shows_file_line_and_text() {
    let error =
        compile::text("api.proto", "syntax = \"proto3\";\nmessage A {\n\tstring a = ;\n}\n")
            .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Proto);
    assert_eq!(
        (error.file(), error.line(), error.column()),
        (Some("api.proto"), Some(3), Some(13))
    );
    let shown = format!("{error:?}");
    assert!(
        shown.contains(" --> api.proto:3:13\n  |\n3 | \tstring a = ;\n  | \t           ^"),
        "{shown}"
    );
}

#[test]
fn all_unresolved_names_are_reported_at_once() {
    let text = "syntax = \"proto3\";\nmessage A {\n  Nope a = 1;\n  Neither b = 2;\n}\n";
    let error = compile::text("api.proto", text).unwrap_err();
    let places: Vec<_> =
        error.problems().map(|p| (p.to_string(), p.excerpt().unwrap().line())).collect();
    assert_eq!(places.len(), 2, "{error:?}");
    assert!(places[0].0.contains("Nope") && places[0].1 == 3, "{error:?}");
    assert!(places[1].0.contains("Neither") && places[1].1 == 4, "{error:?}");
    assert!(error.to_string().ends_with("(and one more problem)"));
}

#[test]
fn a_folder_is_compiled_whole_and_its_problems_come_together() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "b.proto",
        "syntax = \"proto3\"; package p; import \"sub/a.proto\"; message B { A a = 1; }",
    );
    write(
        "sub/a.proto",
        "syntax = \"proto3\"; package p; message A { map<string, B> b = 1; message B {} }",
    );
    write("readme.txt", "not a proto");
    let compiled = resolve(folder.path()).unwrap();
    let protocol = Protocol::read(&compiled).unwrap();
    let names: Vec<_> = compiled.files().map(|file| file.name()).collect();
    assert_eq!(names, ["sub/a.proto", "b.proto"], "a file comes after what it imports");
    assert!(protocol.nri.is_none() && protocol.has("p.A.B"));
    let map = &protocol.message("p.A").unwrap().fields[0];
    assert_eq!(map.label, Label::Repeated);
    let value = Box::new(FieldKind::Message("p.A.B".into()));
    assert_eq!(map.kind, FieldKind::Map { key: "string", value });

    write("b.proto", "syntax = \"proto3\"; message B { Nope a = 1; }");
    write("sub/a.proto", "syntax = \"proto3\"; mesage A {}");
    let error = resolve(folder.path()).unwrap_err();
    let files: Vec<_> = error.problems().map(|problem| problem.file().unwrap()).collect();
    let expected =
        ["b.proto", "sub/a.proto"].map(|name| folder.path().join(name).display().to_string());
    assert_eq!(files, expected);
}

#[test]
fn a_file_finds_its_imports_beside_it_and_those_of_protobuf() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root.proto");
    let text = "syntax = \"proto2\"; import \"leaf.proto\"; import \"google/protobuf/any.proto\"; message R { required Leaf leaf = 1; optional google.protobuf.Any any = 2; }";
    fs::write(&root, text).unwrap();
    let error = resolve(&root).unwrap_err();
    assert!(error.to_string().contains("leaf.proto"), "{error:?}");
    assert_eq!((error.file(), error.line()), (root.to_str(), Some(1)));

    fs::write(folder.path().join("leaf.proto"), "syntax = \"proto2\"; message Leaf {}").unwrap();
    let compiled = resolve(&root).unwrap();
    assert_eq!(compiled.read.len(), 2);
    assert_eq!(compiled.descriptor_set().file.len(), 3);
    let protocol = Protocol::read(&compiled).unwrap();
    assert_eq!(protocol.messages.len(), 1, "imports are not part of the schema");
    assert_eq!(protocol.messages[0].fields[0].label, Label::Required);
}

#[test]
fn a_descriptor_set_is_the_same_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.binpb");
    let compiled = source::resolve("v0.12.5").unwrap();
    fs::write(&path, compiled.descriptor_set().encode_to_vec()).unwrap();
    let read = resolve(&path).unwrap();
    assert_eq!(Protocol::read(&read).unwrap(), Protocol::read(&compiled).unwrap());

    fs::write(&path, b"\x00no set").unwrap();
    assert_eq!(resolve(&path).unwrap_err().kind(), ErrorKind::Descriptor);
    fs::write(&path, b"").unwrap();
    assert_eq!(resolve(&path).unwrap_err().to_string(), "empty FileDescriptorSet");
}

#[test]
fn what_is_not_there_or_too_much_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let missing = resolve(&folder.path().join("missing.proto")).unwrap_err();
    assert!(missing.to_string().contains("missing.proto"), "{missing}");
    let empty = resolve(folder.path()).unwrap_err();
    assert!(empty.to_string().starts_with("no `.proto` file below"), "{empty}");
    let large = folder.path().join("large.proto");
    fs::write(&large, vec![b' '; (1 << 20) + 1]).unwrap();
    assert_eq!(resolve(&large).unwrap_err().kind(), ErrorKind::Limit);
    let many = tempfile::tempdir().unwrap();
    for nth in 0..17 {
        fs::write(many.path().join(format!("{nth}.proto")), vec![b'\n'; 1 << 20]).unwrap();
    }
    assert_eq!(resolve(many.path()).unwrap_err().kind(), ErrorKind::Limit);
    let nowhere = source::resolve("no/such/thing").unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::Io);
    assert!(nowhere.help().is_some());
}

#[test]
fn a_protocol_that_does_not_hold_together_is_reported_whole() {
    let text = "syntax = \"proto3\"; package p;
service Plugin { rpc Configure(E) returns (stream E); }
message E {}
enum Event { UNKNOWN = 0; RUN_POD_SANDBOX = 1; GAP = 3; LAST = 9; }";
    let protocol = Protocol::read(&compile::text("fork.proto", text).unwrap()).unwrap();
    let error = protocol.check().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    let facts: Vec<_> = error.problems().map(ToString::to_string).collect();
    assert_eq!(
        facts,
        [
            "LAST is 9, the last event is 3",
            "event GAP has number 3, expected 2",
            "nothing carries event RUN_POD_SANDBOX: service Plugin has neither RunPodSandbox nor StateChange",
            "nothing carries event GAP: service Plugin has neither Gap nor StateChange",
            "rpc p.Plugin.Configure is streaming",
        ]
    );
    let none =
        Protocol::read(&compile::text("a.proto", "syntax = \"proto3\"; package q;").unwrap())
            .unwrap();
    assert_eq!(none.check().unwrap_err().to_string(), "package q is not an NRI protocol");
}

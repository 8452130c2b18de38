//! Options of build scripts for names and types that bindings cannot have as they are.

use nri_codegen::{Builder, Error};
use nri_tests::generated::{Batch, bindings};

const SERVICE: &str = "syntax = \"proto3\";\npackage x;\n\
    service Plugin { rpc Configure(A) returns (A); rpc Synchronize(A) returns (A); rpc StateChange(A) returns (A); }\n\
    enum Event { UNKNOWN = 0; RUN_POD_SANDBOX = 1; LAST = 2; }\n";

fn generate(
    name: &str,
    declarations: &str,
    options: impl FnOnce(Builder) -> Builder,
) -> Result<String, Error> {
    let files = [(name.to_owned(), format!("{SERVICE}{declarations}\n"))];
    bindings(&files, options)
}

#[test]
fn messages_with_the_names_of_generated_items_are_renamed() {
    let mut batch = Batch::default();
    for name in ["Status", "Code", "Call", "Rpc", "EventInfo", "EventMask"] {
        let proto = format!(
            "message A {{ {name} one = 1; repeated {name}.Inner more = 2; map<string, {name}> all = 3; }}\n\
             message {name} {{ message Inner {{ {name} outer = 1; }} Inner inner = 1; }}"
        );
        let error = generate("api.proto", &proto, |builder| builder).expect_err(name);
        let shown = format!("{error:?}");
        let help = format!("Builder::rename(\"{name}\", \"Other{name}\")");
        assert!(shown.contains(&help), "{shown}");
        // The path of the file, not only its name in imports.
        assert!(shown.contains("protos/api.proto:"), "{shown}");
        for from in [name.to_owned(), format!(".x.{name}")] {
            let source = generate("api.proto", &proto, |builder| {
                builder.rename(&from, format!("Other{name}"))
            });
            batch.add(name, source.unwrap_or_else(|problem| panic!("{problem:?}")));
        }
    }
    batch.check("2021", "");
}

#[test]
fn a_rename_of_nothing_is_an_error() {
    for (from, to, fact) in [
        ("Nothing", "Other", "names no message or enum"),
        (".y.A", "Other", "names no message or enum"),
        ("A", "1A", "is not a name in protobuf"),
        ("A", "", "is not a name in protobuf"),
    ] {
        let result = generate("api.proto", "message A {}", |builder| builder.rename(from, to));
        let error = result.expect_err(from).to_string();
        assert!(error.contains(fact), "{error}");
    }
}

#[test]
fn the_help_names_what_can_be_done_about_a_name() {
    for (proto, fact, help) in [
        (
            "message A {} message Foo_Bar {} message FooBar {}",
            "message FooBar and message Foo_Bar are both `FooBar`",
            "Builder::rename(\"FooBar\", \"OtherFooBar\")",
        ),
        (
            "message A {} message PluginClient {}",
            "service Plugin and message PluginClient are both `PluginClient`",
            "Builder::rename(\"PluginClient\", \"OtherPluginClient\")",
        ),
        (
            "message A {} service Status { rpc Do(A) returns (A); }",
            "service Status and a generated item are both `Status`",
            "leave out services: `Builder::messages_only`",
        ),
        (
            "message A { message Foo_Bar {} message FooBar {} }",
            "message FooBar and message Foo_Bar are both `FooBar`",
            "rename one of them; names are not sent on the wire",
        ),
    ] {
        let result = generate("api.proto", proto, |builder| builder);
        let shown = format!("{:?}", result.expect_err(proto));
        assert!(shown.contains(fact) && shown.contains(help), "{shown}");
    }
}

#[test]
fn types_of_the_caller_need_neither_copy_nor_eq_nor_hash() {
    let import = "import \"google/protobuf/wrappers.proto\";\n";
    let proto = format!(
        "{import}message A {{ B b = 1; repeated C more = 2; oneof one {{ google.protobuf.DoubleValue d = 3; B other = 4; }} }}\n\
         message B {{ google.protobuf.DoubleValue value = 1; }}\n\
         message C {{ message Inner {{ google.protobuf.StringValue text = 1; }} Inner inner = 1; }}\n\
         message Plain {{ int32 a = 1; }}"
    );
    // Both are messages for prost: one without Eq and Hash, and one without Copy.
    let source = generate("api.proto", &proto, |builder| {
        builder
            .extern_path(".google.protobuf.DoubleValue", "f64")
            .extern_path(".google.protobuf.StringValue", "::prost::alloc::string::String")
    });
    let source = source.unwrap_or_else(|error| panic!("{error:?}"));
    assert!(
        source.contains("#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]"),
        "other messages keep their traits"
    );
    let mut batch = Batch::default();
    batch.add("extern", source);
    batch.check("2024", "");
}

#[test]
fn a_package_may_consist_of_types_of_the_caller() {
    // prost-build panics at a package that has services and no types, as without the line that we
    // generate.
    let source = generate("api.proto", "message A { int32 a = 1; }", |builder| {
        builder.extern_path(".x", "crate::other")
    });
    let source = source.unwrap_or_else(|error| panic!("{error:?}"));
    assert!(source.contains("crate::other::A") && !source.contains("struct A"), "{source}");
}

#[test]
fn a_trait_that_is_derived_twice_is_an_error_with_a_sentence() {
    for (path, traits, fact) in [
        ("A", "Eq", "`A` derives `Eq` already"),
        ("A", "Debug", "`A` derives `Debug` already"),
        ("A", "PartialOrd, PartialOrd", "`A` derives `PartialOrd` already"),
        ("Event", "::core::hash::Hash", "`Event` derives `Hash` already"),
    ] {
        let result = generate("api.proto", "message A { int32 a = 1; }", |builder| {
            builder.derive(path, traits)
        });
        let shown = format!("{:?}", result.expect_err(traits));
        assert!(shown.contains(fact), "{shown}");
        assert!(shown.contains("help: remove `"), "{shown}");
    }
    for others in ["PartialOrd", "::other::Serialize, ::core::cmp::PartialOrd"] {
        let result = generate("api.proto", "message A { int32 a = 1; }", |builder| {
            builder.derive_serde(true).derive("A", others)
        });
        assert!(result.is_ok(), "{:?}", result.err());
    }
    for serde in ["Serialize", "::serde::Serialize", "serde::Deserialize"] {
        let result = generate("api.proto", "message A { int32 a = 1; }", |builder| {
            builder.derive_serde(true).derive("A", serde)
        });
        assert!(result.is_err(), "{serde}");
    }
}

#[test]
fn files_may_be_called_like_keywords() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["mod", "extern", "self", "crate", "super", "type", "lib"] {
        let path = folder.path().join(format!("{name}.proto"));
        std::fs::write(&path, format!("{SERVICE}message A {{}}\n")).expect("written");
        let builder = Builder::new().proto(&path).out_dir(folder.path().join("out"));
        builder.generate().unwrap_or_else(|error| panic!("{error:?}"));
    }
    let generated = folder.path().join("out/nri-bindings");
    let modules = std::fs::read_to_string(generated.join("mod.rs")).expect("it was generated");
    for module in ["mod_", "extern_", "self_", "crate_", "super_", "type_", "lib"] {
        assert!(modules.contains(&format!("pub mod {module} {{")), "{modules}");
    }
    let select = std::fs::read_to_string(generated.join("select.rs")).expect("it was generated");
    assert!(select.contains("(\"mod\") =>"), "{select}");
}

#[test]
fn a_missing_import_names_the_method_of_the_builder() {
    let result =
        generate("api.proto", "import \"other/b.proto\";\nmessage A {}", |builder| builder);
    let shown = format!("{:?}", result.expect_err("the import is missing"));
    assert!(shown.contains("Builder::include(\"FOLDER\")"), "{shown}");
}

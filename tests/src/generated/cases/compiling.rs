//! Protos in one file whose bindings must compile: a name and the declarations of each.

/// Protos with the syntax proto3, unless they declare one.
pub(super) const COMPILING: &[(&str, &str)] = &[
    (
        "well-known types",
        "import \"google/protobuf/timestamp.proto\"; import \"google/protobuf/any.proto\"; import \"google/protobuf/struct.proto\"; import \"google/protobuf/wrappers.proto\"; import \"google/protobuf/empty.proto\"; import \"google/protobuf/field_mask.proto\"; import \"google/protobuf/duration.proto\";\nmessage M { google.protobuf.Timestamp at = 1; repeated google.protobuf.Any any = 2; map<string, google.protobuf.Value> values = 3; google.protobuf.StringValue text = 4; oneof x { google.protobuf.Duration d = 5; google.protobuf.Empty e = 6; google.protobuf.FieldMask m = 7; google.protobuf.NullValue n = 8; } }\nservice S { rpc Do(google.protobuf.Empty) returns (google.protobuf.Timestamp); }",
    ),
    (
        "descriptor.proto for an option",
        "import \"google/protobuf/descriptor.proto\";\nextend google.protobuf.FieldOptions { string note = 50000; }\nmessage M { int32 a = 1 [(note) = \"x\"]; }",
    ),
    (
        "descriptor.proto as a field",
        "import \"google/protobuf/descriptor.proto\";\nmessage M { google.protobuf.FileDescriptorSet set = 1; }",
    ),
    ("service ZZ", "service ZZ { rpc X(NriEmpty) returns (NriEmpty); }"),
    (
        "service aBC and one with digits",
        "service aBC { rpc X(NriEmpty) returns (NriEmpty); } service S2x { rpc X1y(NriEmpty) returns (NriEmpty); } service _S {} service T { rpc X(NriEmpty) returns (NriEmpty); } service C {} service M {}",
    ),
    (
        "RPCs with the names of the client's own methods",
        "service S { rpc New(NriEmpty) returns (NriEmpty); rpc Transport(NriEmpty) returns (NriEmpty); rpc IntoTransport(NriEmpty) returns (NriEmpty); rpc Dispatch(NriEmpty) returns (NriEmpty); rpc Server(NriEmpty) returns (NriEmpty); rpc IntoServer(NriEmpty) returns (NriEmpty); }",
    ),
    (
        "RPCs with the names of methods of the prelude",
        "service S { rpc Into(NriEmpty) returns (NriEmpty); rpc TryInto(NriEmpty) returns (NriEmpty); rpc Clone(NriEmpty) returns (NriEmpty); rpc Default(NriEmpty) returns (NriEmpty); rpc Drop(NriEmpty) returns (NriEmpty); rpc Fmt(NriEmpty) returns (NriEmpty); rpc ToString(NriEmpty) returns (NriEmpty); rpc Await(NriEmpty) returns (NriEmpty); rpc Call(NriEmpty) returns (NriEmpty); rpc Encode(NriEmpty) returns (NriEmpty); }",
    ),
    (
        "RPCs that are keywords",
        "service S { rpc Type(NriEmpty) returns (NriEmpty); rpc Self(NriEmpty) returns (NriEmpty); rpc Super(NriEmpty) returns (NriEmpty); rpc Gen(NriEmpty) returns (NriEmpty); rpc Try(NriEmpty) returns (NriEmpty); rpc Crate(NriEmpty) returns (NriEmpty); }",
    ),
    (
        "messages of the prelude",
        "message Option { message Some { Vec v = 1; } Some some = 1; } message Vec { repeated Option o = 1; } message String { string s = 1; } message Result { Box b = 1; } message Box { Result r = 1; } message Some {} message None {} message Ok {} message Err {} message Default {} message Clone {} message Copy {} message Send {} message Sync {} message Iterator {} message Into {} message From {} message TryFrom {} message ToString {} message Debug {} message Message { Message message = 1; } message Enumeration {} message Oneof {} message HashMap { map<string, HashMap> map = 1; } message Future {} message PartialEq {} message Str { string str = 1; } message I32 { int32 i32 = 1; } message Prost {} message Self { Self self = 1; } message T {} message C { T t = 1; M m = 2; } message M {} service Svc { rpc A(C) returns (T); rpc B(T) returns (M); rpc D(Option) returns (Result); rpc E(Self) returns (String); }",
    ),
    (
        "modules of well-known names",
        "message Core { message X {} X x = 1; } message Std { message X {} X x = 1; Core.X y = 2; } message Prost { enum E { A = 0; } E e = 1; oneof o { Std.X x = 2; } } message Alloc { message Vec {} Vec v = 1; } message Serde { message X {} X x = 1; } message Generated { message X {} X x = 1; } message Packages { message X {} X x = 1; } message Crate { message X {} X x = 1; } message Super { message X {} X x = 1; } message Type { message X {} X x = 1; } message Gen { message X {} X x = 1; }",
    ),
    (
        "modules with the names of tools",
        "message Rustfmt { message X {} X x = 1; } message Clippy { message X {} X x = 1; } message Miri { enum E { A = 0; } E e = 1; } message Diagnostic { oneof o { int32 a = 1; } }",
    ),
    (
        "a oneof called self next to a type called Self",
        "message Self { message Self { int32 a = 1; } oneof self { Self s = 1; int32 n = 2; } }",
    ),
    (
        "fields that are keywords",
        "message K { int32 as = 1; int32 type = 2; int32 self = 3; int32 crate = 5; } message L { int32 super = 1; int32 extern = 2; int32 async = 3; int32 await = 4; int32 dyn = 5; int32 gen = 6; int32 try = 7; int32 union = 8; int32 box = 9; int32 yield = 10; int32 macro = 11; int32 raw = 12; int32 safe = 13; int32 auto = 14; int32 default = 15; int32 macro_rules = 16; int32 static = 17; int32 true = 18; int32 where = 19; }",
    ),
    (
        "fields with the names of methods",
        "message F { Event clear = 1; Event merge = 2; Event encode = 3; Event decode = 4; Event encoded_len = 5; Event default = 6; Event clone = 7; Event eq = 8; Event fmt = 9; Event into = 10; Event from = 11; Event encode_raw = 12; Event merge_field = 13; Event hash = 14; Event encode_to_vec = 15; optional int32 as_ref = 16; repeated Event iter = 17; repeated Event len = 18; Event tag = 19; Event buf = 20; Event ctx = 21; Event wire_type = 22; Event value = 23; Event key = 24; }",
    ),
    (
        "values that are keywords and of the prelude",
        "enum E { E_UNSPECIFIED = 0; SELF = 1; SELF_TYPE = 2; SOME = 3; NONE = 4; OK = 5; ERR = 6; ERROR = 7; STRING = 8; OPTION = 9; E_1 = 10; _X = 11; TYPE = 12; E_ = 13; } message M { E e = 1; map<int32, E> m = 2; repeated E r = 3; optional E o = 4; }",
    ),
    (
        "enum Self",
        "enum Self { SELF_A = 0; SELF_SELF = 1; OTHER_ = 2; } message M { Self s = 1; repeated Self r = 2; }",
    ),
    (
        "aliases and negative numbers",
        "enum E { option allow_alias = true; A = 0; B = 0; a = 0; NEG = -1; MIN = -2147483648; MAX = 2147483647; }",
    ),
    (
        "a oneof named like a nested type",
        "message M { message Kind {} enum Other { A = 0; } oneof kind { Kind k = 1; int32 n = 2; } oneof other { Other o = 3; string s = 4; } }",
    ),
    (
        "oneofs that are keywords",
        "message M { oneof type { int32 a = 1; string b = 2; } oneof self { int32 c = 3; bytes Self = 4; } }",
    ),
    (
        "nested messages deep",
        "message A { message A { message A { message A { A a = 1; } A a = 1; } A a = 1; } A a = 1; }",
    ),
    (
        "recursion",
        "message A { A a = 1; B b = 2; repeated A as = 3; map<string, A> m = 4; oneof x { A y = 5; B z = 6; } } message B { C c = 1; } message C { A a = 1; optional B b = 2; }",
    ),
    (
        "maps of everything",
        "message V {} enum E { Z = 0; } message M { map<string, V> a = 1; map<bool, E> b = 2; map<int64, bytes> c = 3; map<fixed32, double> d = 4; map<sint64, string> e = 5; map<uint32, float> f = 6; map<sfixed64, E> g = 7; map<string, V> type = 8; map<string, M> self = 9; }",
    ),
    (
        "comments",
        "// `*/ \\ \" [Link] <b> https://x.y/z\r\n/* a\r b \u{202e}evil\u{2066} \u{0} \u{e000} \u{feff} */\nmessage M {\n  //     indented code\n  //\n  //     let x = ;\n  // ```rust\n  // compile_error!();\n  int32 a = 1; /// trailing */ `\n  /* ``` */ int32 b = 2;\n}\n// ```\nservice S {\n  // [`broken]\r// \n  rpc X(NriEmpty) returns (NriEmpty); // #[doc = \"\n}",
    ),
    (
        "deprecated everything",
        "message M { option deprecated = true; int32 a = 1 [deprecated = true]; oneof x { int32 b = 2 [deprecated = true]; } D d = 3 [deprecated = true]; map<string, D> m = 4 [deprecated = true]; } enum D { option deprecated = true; ZERO = 0 [deprecated = true]; ONE = 1 [deprecated = true]; } service S { option deprecated = true; rpc X(M) returns (M) { option deprecated = true; } }",
    ),
    (
        "JSON names and reserved",
        "message M { reserved 2, 4 to 9; reserved \"old\", \"older\"; int32 a = 1 [json_name = \"type\"]; int32 b = 3 [json_name = \"\u{1f980}\"]; int32 c = 536870911; } enum E { reserved 2 to max; reserved \"X\"; A = 0; }",
    ),
    (
        "names of one letter, digits and underscores",
        "message a { int32 _a = 1; int32 a1 = 2; int32 a_2 = 3; int32 B = 4; } message _b { int32 _1 = 1; } message _1 { int32 x = 1; } message X_Y_z9 { message x_y {} x_y x = 1; } enum _e { _0 = 0; }",
    ),
    ("empty messages, services and files", "message E {} service S {}"),
    (
        "every scalar and optional",
        "message M { double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7; sint64 h = 8; fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15; optional double p = 16; optional string q = 17; optional bytes r = 18; optional Event s = 19; optional M t = 20; repeated bytes u = 21; repeated double v = 22 [packed = false]; repeated Event w = 23 [packed = false]; }",
    ),
    (
        "no package",
        "syntax = \"proto3\";\nmessage M { M m = 1; message N { M m = 1; } oneof o { N n = 2; } }\nenum Event { UNKNOWN = 0; RUN_POD_SANDBOX = 1; LAST = 2; } message E {} service Plugin { rpc Configure(E) returns (E); rpc StateChange(E) returns (E); }",
    ),
    (
        "types with the names of Rust's and prost's",
        "message i32 { i32 i32 = 1; } message str { str str = 1; bool bool = 2; } message u8 { bytes u8 = 1; } message Message { Message message = 1; } message Enumeration {} message Oneof { oneof oneof { Oneof one = 1; } } message Eq {} message Hash { Hash hash = 1; } message Copy { map<string, Copy> copy = 1; }",
    ),
    (
        "values with the names of an enum's methods",
        "enum E { AS_STR_NAME = 0; FROM_STR_NAME = 1; TRY_FROM = 2; IS_VALID = 3; FROM_I32 = 4; DEFAULT = 5; E_E = 6; } message M { E e = 1; E is_valid = 2; optional E try_from = 3; }",
    ),
    (
        "the smallest and largest numbers",
        "message M { int32 a = 1; int32 b = 536870911; int32 c = 18999; int32 d = 20000; map<int32, M> e = 536870910; oneof f { M g = 536870909; } }",
    ),
    (
        "a package of keywords",
        "syntax = \"proto3\"; package type.self.Crate.v1;\nmessage M { M m = 1; }\nenum Event { UNKNOWN = 0; RUN_POD_SANDBOX = 1; LAST = 2; } message E {} service Plugin { rpc Configure(E) returns (E); rpc StateChange(E) returns (E); }",
    ),
];

/// Protos with the syntax proto2.
pub(super) const PROTO2: &[(&str, &str)] = &[
    (
        "proto2 defaults",
        "enum E { option allow_alias = true; A = 1; B = 1; NEG = -5; E_X = 7; SELF = 9; } message D { optional string s = 1 [default = \"\\\"\\\\ \\n \u{1f980} {} \\'\"]; optional bytes b = 2 [default = \"\\000\\377\\\"\\\\'x{}\"]; optional float f = 3 [default = inf]; optional double d = 4 [default = -inf]; optional float n = 5 [default = nan]; optional double e = 6 [default = 1e300]; optional int64 i = 7 [default = -9223372036854775808]; optional uint64 u = 8 [default = 18446744073709551615]; optional E en = 9 [default = B]; required E re = 10 [default = NEG]; optional E x = 11 [default = E_X]; optional E y = 12 [default = SELF]; optional bool bo = 13 [default = true]; optional int32 h = 14 [default = 0x7f]; optional float neg = 15 [default = -0.0]; optional string empty = 16 [default = \"\"]; required bytes rb = 17 [default = \"x\"]; required string rs = 18 [default = \"y\"]; }",
    ),
    (
        "proto2 groups",
        "message G { optional group One = 1 { optional int32 a = 1; } repeated group Many = 2 { required string b = 1; optional group Deep = 3 { optional G g = 1; } } required group Must = 4 { optional int32 c = 1; } oneof o { group InOneof = 5 { optional G g = 1; } int32 other = 6; } }",
    ),
    (
        "recursion through groups",
        "message A { optional group X = 1 { optional A a = 1; } required group Y = 2 { optional Z z = 1; } } message Z { optional A a = 1; }",
    ),
    (
        "extensions and required",
        "message M { extensions 100 to max; required M m = 1; required Event e = 2; optional int32 a = 3; repeated int32 p = 4 [packed = true]; extend M { optional string inner = 101; } } extend M { optional group Ext = 102 { optional int32 x = 1; } }",
    ),
];

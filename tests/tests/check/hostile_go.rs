//! Go programs that make it hard to see that they speak NRI, built from scratch with the standard
//! library alone: each with the answer it must get.

use std::fs;
use std::path::Path;
use std::process::Command;

use nri_compat::report::check::Outcome::Unknown;
use nri_tests::hostile::ExpectedAnswer::{self, Is, NoPlugin};
use nri_tests::hostile::{HostileRow, check};

/// A statement that starts a program, and the beginning of a large one in base64.
const STARTS: &str = "println(exec.Command(\"true\").Run(), \"f0VMRgIBAQAAPADDING\")";

/// A copy of NRI's stub in a module of any name, as far as it matters here.
const STUB: &str = r#"package stub

import (
	"context"
	"net"

	"MODULE/pkg/api"
)

type RunPodInterface interface {
	RunPodSandbox(context.Context, *api.PodSandbox) error
}

type CreateContainerInterface interface {
	CreateContainer(context.Context, *api.PodSandbox, *api.Container) error
}

type Service interface {
	StateChange(context.Context, *api.Event) error
	Synchronize(context.Context) error
	DEDICATED
}

type stub struct {
	plugin any
	run    func(context.Context, *api.PodSandbox) error
	create func(context.Context, *api.PodSandbox, *api.Container) error
}

//go:noinline
func New(plugin any) Service {
	s := &stub{plugin: plugin}
	s.setupHandlers()
	return s
}

//go:noinline
func (s *stub) setupHandlers() {
	if h, ok := s.plugin.(RunPodInterface); ok {
		s.run = h.RunPodSandbox
	}
	if h, ok := s.plugin.(CreateContainerInterface); ok {
		s.create = h.CreateContainer
	}
}

func (s *stub) StateChange(ctx context.Context, event *api.Event) error {
	if s.create != nil {
		_ = s.create(ctx, event.Pod, event.Container)
	}
	return s.run(ctx, event.Pod)
}

func (s *stub) Synchronize(context.Context) error { return nil }

METHOD

func Serve(s Service, connection net.Conn) error {
	if _, err := connection.Write([]byte("nri.pkg.api.v1alpha1.Plugin")); err != nil {
		return err
	}
	return s.StateChange(context.Background(), &api.Event{})
}
"#;

/// A dedicated RPC, in the interface of the service and in the stub.
const DEDICATED: (&str, &str) = (
    "RunPodSandbox(context.Context, *api.PodSandbox) error",
    "func (s *stub) RunPodSandbox(ctx context.Context, pod *api.PodSandbox) error { return s.run(ctx, pod) }",
);

const API: &str = "package api

type PodSandbox struct{ Id string }
type Container struct{ Id string }
type Event struct {
	Pod       *PodSandbox
	Container *Container
}
";

const HANDLERS: &str = "package handlers

import (
	\"context\"

	\"MODULE/pkg/api\"
)

type Plugin struct{}

func (p *Plugin) EVENT error { println(pod.Id); return nil }
";

const MAIN: &str = "package main

import (
	\"net\"
	IMPORT

	\"MODULE/pkg/handlers\"
	\"MODULE/pkg/stub\"
)

func main() {
	CALL
	connection, err := net.Dial(\"unix\", \"/var/run/nri/nri.sock\")
	if err == nil {
		err = stub.Serve(stub.New(&handlers.Plugin{}), connection)
	}
	panic(err)
}
";

/// A plugin that is built with a copy of the stub.
struct Copy {
    /// The main module, and the folder in it where the copy is.
    module: &'static str,
    below: &'static str,
    event: &'static str,
    /// True if the stub answers one of the dedicated RPCs.
    dedicated: bool,
    /// True if it loads further code.
    opens: bool,
}

const RUN_POD: &str = "RunPodSandbox(_ context.Context, pod *api.PodSandbox)";
const CREATE: &str = "CreateContainer(_ context.Context, pod *api.PodSandbox, _ *api.Container)";

const COPY: Copy = Copy {
    module: "corp.example/all",
    below: "platform",
    event: RUN_POD,
    dedicated: false,
    opens: false,
};

impl Copy {
    fn program(&self) -> Vec<u8> {
        let path = format!("{}/{}", self.module, self.below);
        let path = path.trim_end_matches('/');
        let (import, call) =
            if self.opens { ("\"plugin\"", "println(plugin.Open(\"more.so\"))") } else { ("", "") };
        let (dedicated, method) = if self.dedicated { DEDICATED } else { ("", "") };
        let file = |text: &str| {
            text.replace("MODULE", path)
                .replace("EVENT", self.event)
                .replace("DEDICATED", dedicated)
                .replace("METHOD", method)
                .replace("IMPORT", import)
                .replace("CALL", call)
        };
        let at = |name: &str| Path::new(self.below).join(name).display().to_string();
        let files = [
            ("main.go".to_owned(), file(MAIN)),
            (at("pkg/api/api.go"), file(API)),
            (at("pkg/stub/stub.go"), file(STUB)),
            (at("pkg/handlers/handlers.go"), file(HANDLERS)),
        ];
        build(self.module, &files, self.opens)
    }
}

/// Builds a program of these files.
fn build(module: &str, files: &[(String, String)], cgo: bool) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("go.mod"), format!("module {module}\n\ngo 1.21\n")).unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let built = Command::new("go")
        .current_dir(folder.path())
        .args(["build", "-trimpath", "-buildvcs=false", "-o", "program", "."])
        .env("CGO_ENABLED", if cgo { "1" } else { "0" })
        .env("GOFLAGS", "-mod=mod")
        .output()
        .expect("Go is installed");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    fs::read(folder.path().join("program")).unwrap()
}

/// Builds a program of one file that writes some texts to a socket.
fn writes(texts: &[&str], socket: &str) -> Vec<u8> {
    let all: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    let main = format!(
        "package main

import (
	\"net\"
	\"os\"
	\"strings\"
)

func main() {{
	connection, err := net.Dial(\"unix\", {socket:?})
	if err == nil {{
		parts := append([]string{{{}}}, os.Args...)
		_, err = connection.Write([]byte(strings.Join(parts, \".\")))
	}}
	panic(err)
}}
",
        all.join(", ")
    );
    build("corp.example/bare", &[("main.go".to_owned(), main)], false)
}

fn row(member: &str, bytes: Vec<u8>, answer: ExpectedAnswer) -> HostileRow {
    HostileRow { member: member.to_owned(), file: "program", bytes, answer }
}

#[test]
fn copies_of_the_stub() {
    let fork = Copy { module: "corp.example/fork", below: "", ..COPY };
    let dedicated = Copy { dedicated: true, ..COPY };
    let opens = Copy { event: CREATE, opens: true, ..COPY };
    check(&[
        row(
            "in a monorepo, handlers beside it",
            COPY.program(),
            Is(Unknown, "types cannot be read"),
        ),
        row("a fork of another name", fork.program(), Is(Unknown, "types cannot be read")),
        row(
            "with one dedicated RPC",
            dedicated.program(),
            Is(Unknown, "some of the dedicated RPCs"),
        ),
        row("with code that is loaded later", opens.program(), Is(Unknown, "plugin.Open")),
    ]);
}

#[test]
fn bindings_of_their_own() {
    check(&[
        row(
            "names of service and RPCs",
            writes(&["nri.pkg.api.v1alpha1.Plugin", "StateChange", "RunPodSandbox"], "a.sock"),
            Is(Unknown, "the service that plugins serve"),
        ),
        row(
            "the name put together at run time",
            writes(&["nri", "pkg", "api", "v1alpha1", "Plugin"], "/var/run/nri/nri.sock"),
            Is(Unknown, "socket"),
        ),
        row(
            "the version put together at run time",
            writes(&["nri.pkg.api", "v1alpha1", "Plugin"], "a.sock"),
            Is(Unknown, "name of NRI's protocol"),
        ),
        row("nothing of NRI", writes(&["other"], "a.sock"), NoPlugin),
    ]);
}

#[test]
fn programs_that_contain_others() {
    let named = |member, bytes, answer| HostileRow { file: "10-a", ..row(member, bytes, answer) };
    let padding = "A".repeat(40 << 10);
    let main = |import: &str, call: &str| {
        let text = format!("package main\n\nimport {import:?}\n\nfunc main() {{ {call} }}\n")
            .replace("PADDING", &padding);
        build("corp.example/outer", &[("main.go".to_owned(), text)], false)
    };
    // Only programs that are stored plain or with gzip are looked for.
    check(&[named("base64", main("os/exec", STARTS), NoPlugin)]);
}

//! Build constraints: they determine whether a plain build for Linux includes a file.
//!
//! [The rules](https://pkg.go.dev/cmd/go#hdr-Build_constraints). Files that such a build excludes
//! are not ignored: what they declare is possible instead of certain.

/// The maximum length of a constraint.
const MAX_CONSTRAINT: usize = 2000;

/// The minor version of the newest release of Go that a plain build may use.
const NEWEST_GO: u32 = 26;

/// Values of `GOOS`, except `linux`, that a file name may end with.
const OTHER_SYSTEMS: [&str; 17] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

/// Values of `GOARCH`, except `amd64`, that a file name may end with.
const OTHER_ARCHITECTURES: [&str; 23] = [
    "386",
    "amd64p32",
    "arm",
    "arm64",
    "arm64be",
    "armbe",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mips64p32",
    "mips64p32le",
    "mipsle",
    "ppc",
    "ppc64",
    "ppc64le",
    "riscv",
    "riscv64",
    "s390",
    "s390x",
    "sparc",
    "sparc64",
    "wasm",
];

/// Returns true if a build for Linux on amd64 without cgo and without tags includes the file.
/// `header` is its text up to the package clause.
pub(super) fn in_plain_build(name: &str, header: &str) -> bool {
    by_name(name) && by_text(header)
}

/// Returns true if the file has no constraint, so that every build includes it.
pub(super) fn in_every_build(name: &str, header: &str) -> bool {
    let stem = stem(name);
    let last = stem.rsplit('_').next().unwrap_or_default();
    let is_tag = ["linux", "amd64"].contains(&last)
        || OTHER_SYSTEMS.contains(&last)
        || OTHER_ARCHITECTURES.contains(&last);
    let is_constraint = |line: &str| line.contains("go:build") || line.contains("+build");
    (stem == last || !is_tag) && !header.lines().any(is_constraint)
}

/// Returns the part of a file name that may have tags: it ends at the first dot, as for the toolchain.
fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn by_name(name: &str) -> bool {
    let stem = stem(name);
    let mut parts = stem.rsplit('_');
    let last = parts.next().unwrap_or_default();
    let before = parts.next().unwrap_or_default();
    let excluded = |part: &&str| OTHER_SYSTEMS.contains(part) || OTHER_ARCHITECTURES.contains(part);
    stem == last || !(excluded(&last) || (last == "amd64" && excluded(&before)))
}

fn by_text(header: &str) -> bool {
    let lines = || header.lines().map(str::trim);
    if let Some(expression) = lines().find_map(expression) {
        return expression.len() <= MAX_CONSTRAINT && evaluate(expression);
    }
    lines()
        .filter_map(|line| {
            line.strip_prefix("//")?
                .trim_start()
                .strip_prefix("+build ")
        })
        .all(|line| line.split_whitespace().any(|any| any.split(',').all(term)))
}

/// Returns the expression of a `//go:build` line.
fn expression(line: &str) -> Option<&str> {
    let expression = line.strip_prefix("//go:build")?;
    expression.starts_with([' ', '\t']).then_some(expression)
}

fn term(term: &str) -> bool {
    match term.strip_prefix('!') {
        Some(tag) => !is_set(tag),
        None => is_set(term),
    }
}

fn is_set(tag: &str) -> bool {
    let release = tag
        .strip_prefix("go1.")
        .and_then(|minor| minor.parse().ok());
    matches!(tag, "linux" | "unix" | "amd64" | "gc")
        || release.is_some_and(|minor: u32| minor <= NEWEST_GO)
}

/// Evaluates `a && (b || !c)`; false if it cannot be parsed.
fn evaluate(expression: &str) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('!', " ! ");
    let spaced = spaced.replace("&&", " && ").replace("||", " || ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser {
        tokens: &tokens,
        depth: 0,
    };
    parser
        .any()
        .is_some_and(|value| value && parser.tokens.is_empty())
}

struct Parser<'t> {
    tokens: &'t [&'t str],
    depth: usize,
}

impl Parser<'_> {
    fn take(&mut self, wanted: &str) -> bool {
        let found = self.tokens.first() == Some(&wanted);
        if found {
            self.tokens = self.tokens.get(1..).unwrap_or_default();
        }
        found
    }

    fn any(&mut self) -> Option<bool> {
        let mut value = self.all()?;
        while self.take("||") {
            value |= self.all()?;
        }
        Some(value)
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.not()?;
        while self.take("&&") {
            value &= self.not()?;
        }
        Some(value)
    }

    fn not(&mut self) -> Option<bool> {
        self.depth += 1;
        if self.depth > 200 {
            return None;
        }
        if self.take("!") {
            return Some(!self.not()?);
        }
        if self.take("(") {
            let value = self.any()?;
            return self.take(")").then_some(value);
        }
        let (tag, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(is_set(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_constraints_select_files() {
        for (name, header, included) in [
            ("a.go", "", true),
            ("a_linux.go", "", true),
            ("linux.go", "", true),
            ("windows.go", "", true),
            ("a_windows.go", "", false),
            ("a_linux_amd64.go", "", true),
            ("a_windows_amd64.go", "", false),
            ("a_arm64.go", "", false),
            ("a_windows.pb.go", "", false),
            ("a.b_windows.go", "", true),
            ("a.go", "//go:build\tignore", false),
            ("a.go", "//go:build go1.99", false),
            ("a.go", "//go:build linux && !windows", true),
            ("a.go", "// (c)\n\n//go:build !(linux||darwin)\n", false),
            ("a.go", "//go:build ignore", false),
            ("a.go", "//go:build (linux", false),
            ("a.go", "//go:build go1.21 && (cgo || gc)", true),
            ("a.go", "// +build linux,!cgo darwin\n// +build amd64", true),
            ("a.go", "// +build custom", false),
        ] {
            assert_eq!(in_plain_build(name, header), included, "{name} {header}");
            let unconditional = header.is_empty()
                && ["a.go", "a.b_windows.go", "linux.go", "windows.go"].contains(&name);
            assert_eq!(
                in_every_build(name, header),
                unconditional,
                "{name} {header}"
            );
        }
        assert!(!evaluate(&"!(".repeat(900)));
    }
}

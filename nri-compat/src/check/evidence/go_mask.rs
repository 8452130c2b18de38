//! The event mask that a Go plugin returns from Configure.
//!
//! A stub accepts a mask only if the plugin has a handler for each of its events, so that a mask
//! narrows what is handled. It counts if every mask in the file is made from names of events in the
//! code; one that is made from a configuration may be any.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::go_code::blanked;
use crate::facts::EVENTS;
use crate::pattern::regex;
use crate::sighting::GoMask;

/// The most `return`s of Configure, and names in a call, that are looked at, since each is searched
/// for in the whole file. Plugins have fewer than ten.
const MOST: usize = 20;

/// The longest name of a variable or constant that is searched for, in bytes.
const MAX_NAME: usize = 256;

/// The head of Configure: `func (p *plugin) Configure(_ context.Context, config, runtime, version
/// string) (api.EventMask, error) {`.
static CONFIGURE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?m)^func\s*\([^)]*\)\s*Configure\s*\([^)]*\)\s*\([^)]*\bEventMask\b[^)]*\)\s*\{")
});

/// The end of a function: its closing brace is the first at the beginning of a line.
static END: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^\}"));

/// A `return` with what it returns first.
static RETURN: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\breturn\s+(?<mask>[\w.]+(?:\([^()\n]*\))?)\s*,\s*(?<error>\w+)"));

/// A call that makes a mask from names. What it is assigned to comes before it.
static PARSED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:(?<to>[\w.]+)\s*(?:,\s*\w+\s*)?:?=\s*)?\b\w+[.](?:Must)?ParseEventMask\s*\((?<names>[^()]*)\)",
    )
});

/// A string.
static TEXT: LazyLock<Regex> = LazyLock::new(|| regex(r#"^(?:"(?<a>[^"\\\n]*)"|`(?<b>[^`]*)`)$"#));

/// Returns the mask that Configure returns in a file, whose code without comments and strings is
/// `code`; `None` if it returns none, or one that the code does not determine.
pub(super) fn mask(text: &str, code: &str) -> Option<GoMask> {
    let head = CONFIGURE.find(code)?;
    let end = END.find_at(code, head.end())?.start();
    let body = code.get(head.end()..end)?;
    let with_texts = blanked(text, false);
    let mut events: Vec<&'static str> = Vec::new();
    let mut line = None;
    for (nth, returned) in RETURN.captures_iter(body).enumerate() {
        if nth == MOST {
            return None;
        }
        let value = &returned["mask"];
        let is_error = &returned["error"] != "nil";
        if value == "0" && is_error {
            continue;
        }
        let start = head.end() + returned.name("mask")?.start();
        for names in made(code, value, start)? {
            line.get_or_insert_with(|| code[..names.start].matches('\n').count() + 1);
            events.extend(parsed(with_texts.get(names)?, &with_texts)?);
        }
    }
    Some(GoMask { events, line: u32::try_from(line?).ok()? })
}

/// Returns the arguments of the calls that make the mask `value`, which is at `start`; `None` if it
/// is made in another way, too.
fn made(code: &str, value: &str, start: usize) -> Option<Vec<Range<usize>>> {
    let calls = PARSED.captures_iter(code);
    if value.contains('(') {
        let (_, names) = calls
            .filter_map(|call| Some((call.get(0)?, call.name("names")?)))
            .find(|(call, _)| call.range().contains(&start))?;
        return Some(vec![names.range()]);
    }
    let field = value.rsplit('.').next().filter(|field| field.len() <= MAX_NAME)?;
    let is_it = |to: &str| to.rsplit('.').next() == Some(field);
    let made: Vec<_> = calls
        .filter(|call| call.name("to").is_some_and(|to| is_it(to.as_str())))
        .filter_map(|call| Some(call.name("names")?.range()))
        .collect();
    let changes = Regex::new(&format!(
        r"\b{field}\s*(?:,\s*\w+\s*)?(?::?=[^=]|[|&^+-]=)|\b{field}[.](?:Set|Clear)\b|&[\w.]*\b{field}\b|\b{field}\s*:\s"
    ))
    .ok()?;
    (!made.is_empty() && changes.find_iter(code).count() == made.len()).then_some(made)
}

/// Returns the events that the arguments of a call name; `None` if one of them is not a string in
/// the code, or names something else.
fn parsed(arguments: &str, code: &str) -> Option<Vec<&'static str>> {
    let mut events = Vec::new();
    let arguments = joined(arguments.split(',').map(str::trim));
    if arguments.len() > MOST {
        return None;
    }
    for argument in arguments {
        let names = match TEXT.captures(&argument) {
            Some(text) => text.name("a").or_else(|| text.name("b"))?.as_str().to_owned(),
            None => constant(&argument, code)?,
        };
        for name in names.split(',') {
            let is_event = |event: &&&str| event.eq_ignore_ascii_case(name.trim());
            events.push(*EVENTS.iter().find(is_event)?);
        }
    }
    Some(events)
}

/// Joins the parts of strings that have commas.
fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for part in parts {
        let is_open = |text: &str| text.matches(['"', '`']).count() % 2 == 1;
        match whole.last_mut().filter(|last| is_open(last)) {
            Some(last) => *last = format!("{last},{part}"),
            None => whole.push(part.to_owned()),
        }
    }
    whole.retain(|part| !part.is_empty());
    whole
}

/// Returns the value of a constant with this name.
fn constant(name: &str, code: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_name) {
        return None;
    }
    let alone = format!(r#"(?m)^const\s+{name}\s*(?:string\s*)?=\s*"(?<value>[^"\\\n]*)""#);
    let grouped =
        format!(r#"(?ms)^const\s*\([^)]*?^\s*{name}\s*(?:string\s*)?=\s*"(?<value>[^"\\\n]*)""#);
    let found = Regex::new(&alone)
        .ok()?
        .captures(code)
        .or_else(|| Regex::new(&grouped).ok()?.captures(code))?;
    Some(found["value"].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the events and the line of a plugin whose Configure has this body, with this code
    /// before it.
    fn mask_of(before: &str, body: &str) -> Option<(String, u32)> {
        let text = format!(
            "package main\n{before}\nfunc (p *plugin) Configure(_ context.Context, config, r, v string) (api.EventMask, error) {{\n{body}\n}}\n"
        );
        let found = mask(&text, &blanked(&text, true))?;
        Some((found.events.join(" "), found.line))
    }

    fn some(events: &str, line: u32) -> Option<(String, u32)> {
        Some((events.to_owned(), line))
    }

    #[test]
    fn masks_in_the_code_are_found() {
        let direct = "return api.MustParseEventMask(\"RunPodSandbox\", \"stopcontainer\"), nil";
        assert_eq!(mask_of("", direct), some("RunPodSandbox StopContainer", 4));
        let constant = "const (\n\tname = \"x\"\n\tevents = \"RunPodSandbox,CreateContainer\" // all\n)\n\
            func New() *plugin {\n\tp.mask, err = api.ParseEventMask(events)\n}";
        let body = "if config == \"\" { return p.mask, nil }\nreturn 0, fmt.Errorf(\"none\")";
        assert_eq!(mask_of(constant, body), some("RunPodSandbox CreateContainer", 7));
        let local = "mask := api.MustParseEventMask(`StartContainer`)\nreturn mask, nil";
        assert_eq!(mask_of("", local), some("StartContainer", 4));
    }

    #[test]
    fn masks_that_may_be_any_are_not() {
        let set = "p.mask = api.MustParseEventMask(\"RunPodSandbox\")";
        for (before, body) in [
            ("", "return 0, nil"),
            ("", "return api.MustParseEventMask(\"pod\"), nil"),
            ("", "return api.MustParseEventMask(p.config.Events...), nil"),
            ("var events = \"RunPodSandbox\"", "return api.MustParseEventMask(events), nil"),
            ("", "return p.mask, nil"),
            (
                "",
                &format!(
                    "{set}\np.mask, err = api.ParseEventMask(p.cfg.Events...)\nreturn p.mask, nil"
                ),
            ),
            ("", &format!("{set}\np.mask.Set(api.Event_STOP_CONTAINER)\nreturn p.mask, nil")),
            ("", &format!("{set}\nfill(&p.mask)\nreturn p.mask, nil")),
            ("", &format!("{set}\nif p.all {{ return 0, nil }}\nreturn p.mask, nil")),
            ("", &format!("{set}\np.mask |= other\nreturn p.mask, nil")),
        ] {
            assert_eq!(mask_of(before, body), None, "{before} {body}");
        }
    }

    #[test]
    fn masks_that_no_plugin_has_are_not_looked_for() {
        for (length, is_found) in [(MAX_NAME, true), (MAX_NAME + 1, false)] {
            let name = "m".repeat(length);
            let set = format!("{name} := api.MustParseEventMask(\"RunPodSandbox\")");
            let variable = mask_of("", &format!("{set}\nreturn {name}, nil"));
            assert_eq!(variable.is_some(), is_found, "a variable of {length} bytes");
            let call = format!("return api.MustParseEventMask({name}), nil");
            let constant = mask_of(&format!("const {name} = \"RunPodSandbox\""), &call);
            assert_eq!(constant.is_some(), is_found, "a constant of {length} bytes");
        }
        let set = "m := api.MustParseEventMask(\"RunPodSandbox\")\n";
        assert_eq!(mask_of("", &format!("{set}{}", "return m, nil\n".repeat(1 << 10))), None);
        let names = "m, ".repeat(1 << 10);
        let call = format!("return api.MustParseEventMask({names}), nil");
        assert_eq!(mask_of("const m = \"RunPodSandbox\"", &call), None);
    }
}

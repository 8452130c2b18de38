//! The HTML reports: as reviewed, and with any text as a name. `.ci/html.sh` opens them in a
//! browser.

use html5gum::{DefaultEmitter, Error, Token, Tokenizer};
use nri_compat::diff;
use nri_compat::report::check::{CheckReport, SkipKind, Skipped};
use nri_compat::report::finding::Category;
use nri_compat::report::template::{Format, render};
use nri_compat::report::visible;
use nri_tests::{html_reports, many, reports};
use proptest::prelude::*;

/// The number of bytes that a report of 5,000 plugins may have.
const MAX_BYTES: usize = 10_000_000;

/// The elements and the text of a page.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parsed {
    elements: Vec<String>,
    text: String,
}

/// Reads a page with an independent tokenizer.
///
/// # Panics
///
/// Panics if the page is not HTML.
fn parsed(page: &str) -> Parsed {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut parsed = Parsed::default();
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::StartTag(tag) => {
                let attributes: Vec<String> = tag.attributes.keys().map(|key| text(key)).collect();
                parsed.elements.push(format!("{} {}", text(&tag.name), attributes.join(" ")));
            }
            Token::String(string) => parsed.text.push_str(&text(&string)),
            Token::Error(error) if error.value != Error::NoncharacterInInputStream => {
                panic!("{}: {page}", error.value)
            }
            Token::Comment(comment) => panic!("a comment: {}", text(&comment)),
            Token::Error(_) | Token::EndTag(_) | Token::Doctype(_) => {}
        }
    }
    parsed
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("pages are UTF-8")
}

/// Returns every page with its name.
fn pages() -> Vec<(String, String)> {
    let checks = reports::all()
        .into_iter()
        .map(|(name, report)| (name.to_owned(), render(&report, Format::Html)));
    let merged = html_reports::merged()
        .into_iter()
        .map(|(name, report)| (format!("merge_{name}"), render(&report, Format::Html)));
    let diffs = html_reports::diffs()
        .into_iter()
        .map(|(name, report)| (format!("diff_{name}"), render(&report, Format::Html)));
    checks.chain(merged).chain(diffs).collect()
}

/// Returns what a page shows: its body without the script.
fn body(page: &str) -> &str {
    let (_, body) = page.split_once("<body>").expect("there is a body");
    body.rsplit_once("<script>").expect("there is a script").0
}

#[test]
fn pages_are_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/html");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let small = diff::diff("v0.12.2", "v0.12.4", Category::File).expect("both are releases");
    let reviewed = ["each_verdict", "suppressed", "merge_nodes"];
    settings.bind(|| {
        for (name, page) in pages() {
            if reviewed.contains(&name.as_str()) {
                insta::assert_snapshot!(name, body(&page));
            }
        }
        insta::assert_snapshot!("diff", body(&render(&small, Format::Html)));
    });
}

#[test]
fn elements_are_closed() {
    for (name, page) in pages() {
        let body = body(&page);
        for element in ["div", "section", "table", "ul"] {
            let opened = body.matches(&format!("<{element}")).count();
            let closed = body.matches(&format!("</{element}>")).count();
            assert_eq!(opened, closed, "{element} in {name}");
        }
    }
}

#[test]
fn pages_load_nothing() {
    for (name, page) in pages() {
        let (head, _) = page.split_once("<style>").expect("there is a style sheet");
        assert!(head.contains("default-src &apos;none&apos;"), "{name}");
        assert!(!head.contains("unsafe"), "{name}");
        for element in parsed(&page).elements {
            let (tag, attributes) = element.split_once(' ').expect("they are joined");
            let is_kind = |kind: &&str| attributes.split(' ').any(|attribute| attribute == *kind);
            assert_eq!(
                ["src", "style", "srcset", "action"].iter().find(|kind| is_kind(kind)),
                None,
                "{name}: {element}"
            );
            assert!(tag == "a" || !is_kind(&"href"), "{name}: {element}");
            assert!(
                !attributes.split(' ').any(|attribute| attribute.starts_with("on")),
                "{name}: {element}"
            );
        }
        let links = page.split("href=\"").skip(1);
        let book = concat!(env!("CARGO_PKG_HOMEPAGE"), "/book/reference/");
        let is_known = |link: &str| link.starts_with('#') || link.starts_with(book);
        links.for_each(|link| assert!(is_known(link), "{name}: {link}"));
    }
}

#[test]
fn links_lead_somewhere() {
    for (name, page) in pages() {
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().expect("the attribute ends");
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{name}: {id}");
        }
    }
}

#[test]
fn nothing_that_acts_is_in_a_page() {
    for (name, page) in pages() {
        let acts = page.chars().find(|c| visible(&c.to_string()).chars().count() > 1 && *c != '\n');
        assert_eq!(acts, None, "{name}");
    }
}

#[test]
fn many_plugins_fit_in_a_small_page() {
    let page = render(many::check(5_000), Format::Html);
    assert!(page.len() < MAX_BYTES, "{} bytes", page.len());
    let (plugins, findings) = page.split_once("id=\"findings\"").expect("some are not ok");
    assert_eq!(plugins.matches("<tr><th scope=\"row\">").count(), 5_000);
    assert!(findings.matches("<tr><th scope=\"row\">").count() >= 5_000);
}

/// Returns a report with `name` wherever something comes from outside.
fn named(name: &str) -> CheckReport {
    let mut all = reports::all();
    let at = all.iter().position(|(which, _)| *which == "suppressed");
    let (_, mut report) = all.swap_remove(at.expect("it is there"));
    report.targets[0].name = name.into();
    report.targets[0].given = Some(name.into());
    for subject in &mut report.subjects {
        subject.place = name.into();
        subject.index = None;
        subject.name = Some(name.into());
        subject.program = Some(name.into());
        subject.events = vec![name.into()];
        subject.nri.version = Some(name.into());
        for evidence in &mut subject.evidence {
            evidence.detail = name.into();
        }
        for verdict in &mut subject.verdicts {
            verdict.target = name.into();
            verdict.reason = name.into();
            verdict.remedy = name.into();
            verdict.events = vec![name.to_owned()].into();
            if let Some(suppression) = &mut verdict.suppressed {
                suppression.reason = name.into();
            }
        }
    }
    report.skipped = vec![Skipped::new(name, SkipKind::Io, name)];
    report.policy = vec![name.into()];
    report.summary.looked_at = vec![name.into()];
    report.summary.node = Some(name.into());
    report
}

/// Any characters, those with a meaning in HTML more often than others.
fn names() -> impl Strategy<Value = String> {
    let pieces = [
        "<",
        ">",
        "&",
        "\"",
        "'",
        "`",
        "/",
        "=",
        "</script>",
        "</style>",
        "<!--",
        "-->",
        "<b>",
        "&lt;",
        "&#0;",
        "{{",
        "}}",
        "{%",
        "\u{202e}",
        "\u{200b}",
        "\u{feff}",
        "\0",
        "\r",
        "\n",
        "\t",
        "\u{c}",
        " ",
        "א",
        "ع",
    ];
    let piece = proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned);
    let char = any::<char>().prop_map(|c| c.to_string());
    proptest::collection::vec(prop_oneof![piece, char], 1..16).prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn names_are_text_and_never_markup(name in names()) {
        // Where a line may break depends on the name. No name can contain this element, because `<`
        // is escaped.
        let page_of = |word: &str| parsed(&render(named(word), Format::Html).replace("<wbr>", ""));
        let (plain, page) = (page_of("\u{2603}"), page_of(&name));
        prop_assert_eq!(&page.elements, &plain.elements);
        let shown = visible(&name);
        // A name may contain another one's text, but there are as many as in the plain page at
        // least.
        prop_assert!(page.text.matches(&shown).count() >= plain.text.matches('\u{2603}').count(), "{}", page.text);
    }
}

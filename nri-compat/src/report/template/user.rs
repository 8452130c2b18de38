//! The templates of users: `--template FILE`.

use std::path::Path;

use minijinja::Environment;

use super::{Templated as _, environment};
use crate::error::{Error, ErrorKind};
use crate::report::check::CheckReport;
use crate::text_file;

/// The maximum size of a template in bytes.
const MAX_TEMPLATE: u64 = 1 << 20;

/// A template of a user. It may include and import the templates of this tool.
#[derive(Debug)]
pub struct UserTemplate {
    name: String,
    environment: Environment<'static>,
}

impl UserTemplate {
    /// Reads a template. The end of its name selects how values are escaped: `.html`, `.md`,
    /// `.csv`, `.xml`, `.github`, each optionally with a further `.j2` or `.jinja`; otherwise text.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a template, with its line.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let source = text_file::read(path, MAX_TEMPLATE, ErrorKind::Template)?;
        Self::parse(&path.display().to_string(), source)
    }

    /// Parses a template; `name` is the name of its file.
    ///
    /// # Errors
    ///
    /// Returns an error with file and line if it is not a template.
    pub fn parse(name: &str, source: String) -> Result<Self, Error> {
        let mut environment = environment();
        let added = environment.add_template_owned(name.to_owned(), source);
        added.map_err(|error| located(name, &error))?;
        Ok(Self { name: name.to_owned(), environment })
    }

    /// Returns the text of a check report.
    ///
    /// # Errors
    ///
    /// Returns an error with file and line if the template names a value that does not exist, or
    /// fails otherwise.
    pub fn check(&self, report: CheckReport) -> Result<String, Error> {
        let template = self.environment.get_template(&self.name);
        let text = template.and_then(|template| template.render(report.context()));
        text.map_err(|error| located(&self.name, &error))
    }
}

/// Returns the error of a template with its file and line.
fn located(name: &str, error: &minijinja::Error) -> Error {
    let file = error.name().unwrap_or(name);
    let line = error.line().unwrap_or(1);
    let kind = error.kind();
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    let message = format!("{file}:{line}: {kind}{detail}");
    Error::new(ErrorKind::Template, message).with_help(
        "a template sees the document that --format json writes, and its syntax is that of Jinja",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::check::{Subject, Verdict};

    fn rendered(name: &str, source: &str) -> Result<String, String> {
        let report = CheckReport {
            subjects: vec![Subject {
                place: "/opt/<a>,b".into(),
                verdicts: vec![Verdict::default()],
                ..Subject::default()
            }],
            ..CheckReport::default()
        };
        let template = UserTemplate::parse(name, source.to_owned());
        let text = template.and_then(|template| template.check(report));
        text.map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_escaped_by_the_name_of_the_template() {
        let source = "{% for s in subjects %}{{ s.path }} {{ s.verdicts[0].verdict }}{% endfor %}";
        for (name, expected) in [
            ("a.txt", "/opt/<a>,b ok"),
            ("a.html.j2", "/opt/&lt;a&gt;,b ok"),
            ("a.md", "/opt/\\<a>,b ok"),
            ("a.csv", "\"/opt/<a>,b\" ok"),
            ("a.xml", "/opt/&lt;a&gt;,b ok"),
        ] {
            let text = rendered(name, source).expect(name);
            assert_eq!(text, expected, "{name}");
        }
    }

    #[test]
    fn templates_of_the_tool_can_be_included() {
        let text = rendered("a.md", "{% include 'check.md' %}").expect("a template");
        assert!(text.starts_with("## NRI plugins\n"), "{text}");
    }

    #[test]
    fn mistakes_have_a_file_and_a_line() {
        for (source, expected) in [
            ("\n{% for %}", "a.txt:2: syntax error: "),
            ("\n\n{{ sumary.files }}", "a.txt:3: undefined value"),
            ("{{ summary.fils.x }}", "a.txt:1: undefined value"),
            ("{{ 1|no_filter }}", "a.txt:1: unknown filter: "),
            ("{% include 'other.txt' %}", "a.txt:1: "),
        ] {
            let error = rendered("a.txt", source).expect_err(source);
            assert!(error.starts_with(expected), "{error}\n{expected}");
        }
    }
}

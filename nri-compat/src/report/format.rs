//! The output formats of reports, in one table.

/// The way in which a format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// By the template of the report with this ending. A report has the format if it has the
    /// template.
    Template(&'static str),
    /// As its JSON document, which every report has.
    Json,
    /// By code of the report, if it has any for the format.
    Code,
}

/// Declares the formats, each with its name on the command line, its use, and its writer.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $format:ident = $name:literal, $about:literal, $writer:expr;)*) => {
        /// An output format. The formats of a report are
        /// [`formats_of`](super::template::formats_of) it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $($(#[doc = $doc])+ $format,)*
        }

        impl Format {
            /// Every format, in the order in which the command lists them.
            pub const ALL: &'static [Self] = &[$(Self::$format),*];

            /// Returns its name on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$format => $name,)*
                }
            }

            /// Returns a phrase about its use.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$format => $about,)*
                }
            }

            pub(crate) const fn writer(self) -> Writer {
                match self {
                    $(Self::$format => $writer,)*
                }
            }
        }
    };
}

formats! {
    /// Text for people: what breaks, for whom, and what to do about it.
    Text = "text", "For people", Writer::Template("txt");
    /// The JSON document, described by a JSON Schema.
    Json = "json", "For machines; described by a JSON Schema", Writer::Json;
    /// The JSON document on one line.
    Jsonl = "jsonl", "JSON on one line, for logs that are collected line by line", Writer::Code;
    /// Markdown for pull requests and release notes.
    Markdown = "markdown", "For pull requests, wikis and release notes", Writer::Template("md");
    /// HTML for browsers: one self-contained file, which loads nothing and also works without its
    /// script.
    Html = "html", "For browsers: one self-contained file", Writer::Template("html");
    /// CSV for spreadsheets and small scripts, quoted as in RFC 4180. `check` has a row for each
    /// verdict, for each subject without verdicts, for each node pool of a cluster, whose kind is
    /// `node_pool`, and for each skipped file, whose verdict is `skipped`; several events in a cell
    /// are separated by spaces. `diff` has a row for each finding.
    Csv = "csv", "For spreadsheets: one row per verdict or finding", Writer::Template("csv");
    /// Annotations of GitHub Actions: one workflow command per problem.
    /// <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
    Github = "github", "Annotations of GitHub Actions", Writer::Template("github");
    /// JUnit XML for CI systems: <https://github.com/testmoapp/junitxml>
    ///
    /// A test case fails if its finding is a warning or an error; a note passes, with its text as
    /// output; cases that are suppressed or cannot be determined are skipped. `check` has a suite
    /// per target with a case per plugin, `diff` a case per rule, and `conformance` a suite per
    /// statement.
    Junit = "junit", "Test results for CI systems", Writer::Template("xml");
    /// SARIF 2.1.0 for code scanning.
    Sarif = "sarif", "For code scanning: SARIF 2.1.0", Writer::Code;
    /// OpenMetrics text for node exporters.
    Openmetrics = "openmetrics", "For node exporters: OpenMetrics text", Writer::Code;
    /// The object `ClusterReport` of `openreports.io/v1alpha1`.
    Openreports = "openreports", "For Kubernetes: a ClusterReport of openreports.io/v1alpha1", Writer::Code;
    /// The object `ClusterPolicyReport` of `wgpolicyk8s.io/v1alpha2`.
    Policyreport = "policyreport", "For Kubernetes: a ClusterPolicyReport of wgpolicyk8s.io/v1alpha2", Writer::Code;
}

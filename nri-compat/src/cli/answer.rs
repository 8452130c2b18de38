//! Options and output that `check` and `logs` share: the format, the name of the node, the file
//! with metrics, and the conditions of the exit code.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::decisions::{self, Decisions};
use super::published::ApiName;
use super::values::formats_of;
use super::{images, output, published};
use crate::arguments::IMAGE_SCHEME;
use crate::check::assess::assess;
use crate::check::collect::Collected;
use crate::check::target::Target;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::policy::{self, FailOn};
use crate::report::check::CheckReport;
use crate::report::template::{self, Format, TextStyle, UserTemplate};
use crate::report::{openmetrics, policy_report};
use crate::system;

/// Options of commands that print a check report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct AnswerArgs {
    /// Output format.
    #[arg(long, value_parser = formats_of::<CheckReport>(), default_value = "text")]
    format: Format,
    /// Write the report with this template (Jinja) instead of a format; it sees the document of
    /// --format json. The end of its name selects how values are escaped: .txt, .html, .md, .csv or
    /// .xml.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    template: Option<PathBuf>,
    /// Show the evidence behind every verdict, even if it is ok; machine formats always include it.
    #[arg(long)]
    explain: bool,
    /// Verdicts that make the exit code 100: these and more serious ones, separated by commas
    /// [default: deprecated, or as set in the policy].
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICT")]
    fail_on: Vec<FailOn>,
    /// Write the report to this file as well, as OpenMetrics for a node exporter; the file is
    /// replaced as a whole.
    #[arg(long, value_name = "FILE")]
    metrics_file: Option<PathBuf>,
    /// Write the report into the cluster of the kubeconfig, or of this pod, as well: as an object
    /// of this API, which replaces the earlier one about this node.
    #[arg(long, value_name = "API")]
    publish: Option<ApiName>,
    #[command(flatten)]
    decisions: decisions::DecisionsArgs,
    /// Name of this node in the report, by which `merge` distinguishes nodes [default: $NODE_NAME,
    /// else the host name].
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
}

impl AnswerArgs {
    /// Reads the policy and the baseline, and reports a mistake in the template before anything is
    /// checked.
    pub(super) fn decisions(&self) -> Result<Decisions<'_>, Error> {
        self.template()?;
        self.decisions.read()
    }

    fn template(&self) -> Result<Option<UserTemplate>, Error> {
        self.template.as_deref().map(UserTemplate::load).transpose()
    }

    /// Judges what was found, and finishes the report, which is not clean if something could not be
    /// read.
    pub(super) fn judge(
        &self,
        mut collected: Collected,
        targets: &[Target<'_>],
        decisions: &Decisions<'_>,
    ) -> Result<Exit, Error> {
        let incomplete = incomplete(&mut collected);
        let exit = self.finish(assess(collected, targets), decisions)?;
        Ok(with_error(exit, incomplete))
    }

    /// Applies policy and baseline, writes the report, and returns the exit code.
    pub(super) fn finish(
        &self,
        mut report: CheckReport,
        decisions: &Decisions<'_>,
    ) -> Result<Exit, Error> {
        report.summary.at = Some(jiff::Timestamp::now().strftime("%FT%TZ").to_string());
        // A report about a cluster is not a report about the machine that creates it.
        report.summary.node = match report.cluster {
            Some(_) => None,
            None => node_name(self.node.as_deref()),
        };
        report.summary.scan = Some(scan_id());
        decisions.apply(&mut report, policy::apply)?;
        let fail_on = match self.fail_on.as_slice() {
            [] => &decisions.policy.fail_on,
            named => named,
        };
        let exit = policy::exit(&report, fail_on);
        // A signal that ends repeated checks waits for this lock.
        let _output = io::stdout().lock();
        let path = self.metrics_file.as_ref();
        let metrics = path.map(|path| {
            let written = write_metrics(path, &report);
            written.map_err(Error::cannot_write(path, ErrorKind::Output))
        });
        let published = self
            .publish
            .map(|api| published::publish(api, &policy_report::of_check(&report, api.into())));
        match self.template()? {
            Some(template) => output::print(&template.check(report)?)?,
            None => output::write(|out| self.write(report, out))?,
        }
        metrics.transpose()?;
        published.transpose()?;
        Ok(exit)
    }

    /// Writes the report piece by piece, because it may be large.
    fn write(&self, report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
        let style = TextStyle { explain: self.explain, ..output::text_style() };
        template::write(report, self.format, style, out)
    }
}

/// Returns the name of the node: as given, else from the environment (which pods set through the
/// downward API), else the host name.
fn node_name(given: Option<&str>) -> Option<String> {
    let named = given.map(str::to_owned).or_else(|| std::env::var("NODE_NAME").ok());
    let name = named.filter(|name| !name.is_empty()).unwrap_or_else(system::host_name);
    (!name.is_empty()).then_some(name)
}

/// Returns 32 random hexadecimal digits, from the seeds of the standard library's hashers.
fn scan_id() -> String {
    let random = || RandomState::new().hash_one(jiff::Timestamp::now().as_nanosecond());
    format!("{:016x}{:016x}", random(), random())
}

/// Writes the report to a file as OpenMetrics, and replaces the file as a whole, because the
/// collector of a node exporter may read it at any time.
fn write_metrics(path: &Path, report: &CheckReport) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    // The collector runs as another user.
    let file = system::readable(tempfile::Builder::new().prefix(".nri-compat-"))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let mut out = BufWriter::new(file);
    openmetrics::write_check(report, &mut out)?;
    out.into_inner()?.persist(path)?;
    Ok(())
}

/// The maximum number of images that an error lists.
const MAX_LISTED: usize = 3;

/// Returns the exit code of a report; if it would be clean, but something could not be read, prints
/// why and returns that of an error.
pub(super) fn with_error(exit: Exit, incomplete: Option<Error>) -> Exit {
    match incomplete {
        Some(error) if exit == Exit::Clean => output::error(&error),
        Some(_) | None => exit,
    }
}

/// Returns the error for named paths that are missing. If none is, returns the error for images and
/// logs that could not be read.
fn incomplete(collected: &mut Collected) -> Option<Error> {
    let missing = missing(collected);
    missing
        .or_else(|| not_fetched(&collected.not_fetched))
        .or_else(|| not_read(&mut collected.unread))
}

/// Returns the error for named paths that are missing.
pub(super) fn missing(collected: &Collected) -> Option<Error> {
    let help = match collected.missing.as_slice() {
        [] => return None,
        [name] if images::may_be_reference(name) => format!(
            "name the files or folders of plugins; an image in a registry is named as {IMAGE_SCHEME}{name}"
        ),
        _ => "name the files or folders of plugins, or use --proc for running ones".to_owned(),
    };
    let missing = collected.missing.join(", ");
    let message = format!("no such file or folder: {missing}");
    Some(Error::new(ErrorKind::Input, message).with_help(help))
}

/// Returns the error for images that could not be fetched.
fn not_fetched(reasons: &[String]) -> Option<Error> {
    let (listed, others) = reasons.split_at(reasons.len().min(MAX_LISTED));
    let more = (!others.is_empty()).then(|| format!("and {} more", others.len()));
    let lines: Vec<String> = listed.iter().cloned().chain(more).collect();
    (!lines.is_empty()).then(|| Error::of_lines(ErrorKind::Fetch, lines.join("\n")))
}

/// Returns the error for logs that may have warnings in parts that could not be read.
fn not_read(unread: &mut Vec<String>) -> Option<Error> {
    unread.sort();
    unread.dedup();
    let message = format!("not all could be read of {}", unread.join(", "));
    let error = Error::new(ErrorKind::Input, message);
    let help = "the missing part may contain warnings: read the whole log again";
    (!unread.is_empty()).then(|| error.with_help(help))
}

//! `nri-compat probe --compare`.

use std::fmt::Write as _;
use std::path::Path;

use nri_conformance::probe::Probed;

use crate::check::target::Target;
use crate::cli::output;
use crate::compare::{Agreement, Comparison, check_file, compare};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::report::visible;

/// Prints the verdicts of `check` on a file next to those of `probe`. Returns the exit code for
/// contradictions, if there are any.
pub(super) fn run(path: &Path, probed: &Probed) -> Result<Option<Exit>, Error> {
    let history = crate::data::history()?;
    let names = probed.targets.iter().map(|target| &target.target);
    let targets: Vec<Target<'_>> = names
        .map(|name| Target::parse(history, name))
        .collect::<Result<_, _>>()?;
    let checked = check_file(path, &targets).ok_or_else(|| {
        let message = format!("check gives no verdict on {}", path.display());
        Error::new(ErrorKind::Input, message).with_help("leave out --compare")
    })?;
    let compared = compare(&checked, probed);
    output::print(&text(&compared))?;
    let contradicts = compared
        .iter()
        .any(|comparison| comparison.agreement == Agreement::Disagree);
    Ok(contradicts.then_some(Exit::Findings))
}

fn text(compared: &[Comparison]) -> String {
    let mut text = String::from("\ncheck and probe:\n");
    for one in compared {
        let (check, probe) = (one.check, one.probe);
        let (target, agreement) = (&one.target, one.agreement);
        let _ = write!(
            text,
            "  {target}: check {check}, probe {probe}: {agreement}"
        );
        if !one.reason.is_empty() {
            let _ = write!(text, " ({})", visible(&one.reason));
        }
        text.push('\n');
    }
    text
}

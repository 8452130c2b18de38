//! The manual page of the bridge, from the text that it prints for `--help`.

use std::fmt::Write as _;

use crate::metadata::BRIDGE;

/// Returns the page. The first line of `help` says what the program does, and each line that ends
/// with a colon begins a section.
pub(super) fn page(help: &str, version: &str) -> String {
    let (about, rest) = help.split_once('\n').unwrap_or((help, ""));
    let name = BRIDGE.to_uppercase();
    let mut page = format!(".TH {name} 1 \"\" \"{BRIDGE} {version}\"\n");
    let _ = writeln!(page, ".SH NAME\n{} \\- {}", escaped(BRIDGE), escaped(about));
    for line in rest.lines() {
        match line.strip_suffix(':').filter(|title| !title.starts_with(' ')) {
            Some(title) => {
                let _ = writeln!(page, ".fi\n.SH {}\n.nf", title.to_uppercase());
            }
            None => {
                let _ = writeln!(page, "{}", escaped(line));
            }
        }
    }
    page.push_str(".fi\n.SH SEE ALSO\n.BR nri\\-compat (1)\n");
    page
}

/// Returns a line in which roff finds no commands.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_signs_are_those_of_roff() {
        let help =
            "Runs it.\n\nUsage:\n  nri-bridge -- \\\n\nOptions:\n      --http A   serve\n.x\n";
        let page = page(help, "1.2.3");
        let expected = ".TH NRI-BRIDGE 1 \"\" \"nri-bridge 1.2.3\"\n.SH NAME\nnri\\-bridge \\- Runs it.\n\n\
             .fi\n.SH USAGE\n.nf\n  nri\\-bridge \\-\\- \\e\n\n.fi\n.SH OPTIONS\n.nf\n      \\-\\-http A   serve\n\
             \\&.x\n.fi\n.SH SEE ALSO\n.BR nri\\-compat (1)\n";
        assert_eq!(page, expected);
    }
}

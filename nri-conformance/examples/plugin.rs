//! Tests the plugin at a path, and prints what is broken or was skipped: `plugin PATH [STATEMENT…]`.

use nri_conformance::plugin::Run;
use nri_conformance::result::Outcome;
use nri_conformance::subject::{Executable, Subject};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: plugin PATH [STATEMENT…]")?;
    let subject = Subject::launched(Executable {
        path: path.into(),
        args: std::env::var_os("PLUGIN_ARG").into_iter().collect(),
        ..Executable::default()
    });
    let report = Run::new(subject).only(args).run_blocking()?;
    for result in &report.results {
        let (id, test) = (result.statement, result.test);
        let revision = result.revision.as_deref().unwrap_or("-");
        match &result.outcome {
            Outcome::Pass => {}
            Outcome::Fail(failure) => println!("FAIL {id} {test} {revision}: {failure}"),
            Outcome::Skip(reason) => println!("skip {id} {test} {revision}: {reason}"),
            Outcome::Known { failure, link } => {
                println!("known {id} {test} {revision}: {failure} ({link})")
            }
        }
    }
    println!("{:?}", report.summary());
    Ok(())
}

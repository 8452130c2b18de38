//! The JSON Schemas of the reports of `nri-compat`.

use super::Target;
use nri_schema::Error;
use nri_schema::history::History;

pub(super) fn targets(_: &History) -> Result<Vec<Target>, Error> {
    Ok(nri_compat::report::schema::schemas().into_iter().map(target).collect())
}

fn target((command, text): (&str, String)) -> Target {
    let path = format!("nri-compat/schema/{command}.schema.json");
    (path.into(), text.into_bytes())
}

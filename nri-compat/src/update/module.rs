//! A Go module, as described by a module proxy: its releases, their dates, and the NRI that they
//! require.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use semver::Version;
use serde::Deserialize;

use super::proxies::Proxies;
use crate::check::evidence::go_mod;
use crate::error::{Error, ErrorKind};

/// Returns the final releases of a module, ascending; `None` if no proxy has the module.
pub(super) fn releases(proxies: &Proxies, module: &str) -> Result<Option<Vec<Version>>, Error> {
    let path = format!("{module}/@v/list");
    let Some(bytes) = proxies.get(&path)? else {
        return Ok(None);
    };
    let text = utf8(bytes, &path)?;
    let versions = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix('v'));
    let versions = versions.filter_map(|version| Version::parse(version).ok());
    let is_final = |version: &Version| version.pre.is_empty() && version.build.is_empty();
    let mut versions: Vec<Version> = versions.filter(is_final).collect();
    versions.sort();
    versions.dedup();
    Ok(Some(versions))
}

/// Returns the version of NRI that a release builds with, or the reason why it is unknown.
pub(super) fn linked_nri(
    proxies: &Proxies,
    module: &str,
    release: &str,
) -> Result<Result<String, String>, Error> {
    let text = text(proxies, &format!("{module}/@v/{release}.mod"))?;
    Ok(go_mod::linked_nri(&text))
}

/// Returns the day of a release, in UTC.
pub(super) fn date(proxies: &Proxies, module: &str, release: &str) -> Result<Date, Error> {
    /// The relevant part of `@v/VERSION.info`.
    #[derive(Deserialize)]
    struct Info {
        #[serde(rename = "Time")]
        time: String,
    }
    let path = format!("{module}/@v/{release}.info");
    let text = text(proxies, &path)?;
    let info: Result<Info, _> = serde_json::from_str(&text);
    let time = info
        .ok()
        .and_then(|info| info.time.parse::<Timestamp>().ok());
    let time = time.ok_or_else(|| {
        let message = format!("{path} has no time of the release");
        Error::new(ErrorKind::Fetch, message)
    })?;
    Ok(time.to_zoned(TimeZone::UTC).date())
}

fn text(proxies: &Proxies, path: &str) -> Result<String, Error> {
    let bytes = proxies.get(path)?.ok_or_else(|| {
        let message = format!("no module proxy has {path}, although its list has the release");
        Error::new(ErrorKind::Fetch, message)
    })?;
    utf8(bytes, path)
}

fn utf8(bytes: Vec<u8>, path: &str) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("{path} is not valid UTF-8");
        Error::new(ErrorKind::Fetch, message)
    })
}

//! The value of `GOPROXY`: a list of module proxies, and when to try the next one.

use std::path::PathBuf;

use super::http::{Client, Failure, Limits};
use crate::error::{Error, ErrorKind};

/// Go's default.
const DEFAULT: &str = "https://proxy.golang.org,direct";

/// A list of module proxies, asked in order.
#[derive(Debug)]
pub struct Proxies {
    entries: Vec<ProxyEntry>,
    client: Client,
}

#[derive(Debug, PartialEq, Eq)]
struct ProxyEntry {
    proxy: Proxy,
    /// True if the next proxy is tried after any failure, not only after "not found": it is
    /// separated by `|`, not `,`.
    any_failure: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Proxy {
    /// `http://` or `https://`, without a slash at the end.
    Url(String),
    /// `file://`.
    Folder(PathBuf),
}

/// Returns the value of `GOPROXY` as the Go command sees it: from the environment, from the file
/// that `go env -w` writes, or the default.
pub fn goproxy() -> String {
    let set = std::env::var("GOPROXY").ok();
    set.filter(|value| !value.is_empty())
        .or_else(in_go_env)
        .unwrap_or_else(|| DEFAULT.to_owned())
}

/// Returns what `go env -w GOPROXY=…` has stored.
fn in_go_env() -> Option<String> {
    let folder = || {
        let config = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty());
        let config = config.map(PathBuf::from);
        config.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")))
    };
    let path = match std::env::var_os("GOENV") {
        Some(path) if path == "off" => return None,
        Some(path) if !path.is_empty() => PathBuf::from(path),
        _ => folder()?.join("go/env"),
    };
    let text = std::fs::read_to_string(path).ok()?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("GOPROXY="))?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

impl Proxies {
    /// Parses a list in the syntax of `GOPROXY`. Entries after `direct` or `off` do not count, as
    /// in Go.
    ///
    /// # Errors
    ///
    /// Returns an error if no proxy is in the list, or a URL is not one of `http`, `https` or
    /// `file`.
    pub fn parse(list: &str, limits: &Limits) -> Result<Self, Error> {
        let mut entries = Vec::new();
        for part in list.split_inclusive([',', '|']) {
            let any_failure = part.ends_with('|');
            match part.trim_end_matches([',', '|']).trim() {
                "" => {}
                "direct" | "off" => break,
                url => entries.push(ProxyEntry {
                    proxy: proxy(url)?,
                    any_failure,
                }),
            }
        }
        if entries.is_empty() {
            return Err(no_proxy(list));
        }
        Ok(Self {
            entries,
            client: Client::new(limits),
        })
    }

    /// Returns the file at `path`, `None` if no proxy has it.
    ///
    /// # Errors
    ///
    /// Returns an error if a proxy fails other than with "not found", and it is the last one to try.
    pub(super) fn get(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let mut failed = None;
        for entry in &self.entries {
            match entry.proxy.get(&self.client, path) {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(Failure::NotFound) => {}
                Err(Failure::Other(error)) if entry.any_failure => failed = Some(error),
                Err(Failure::Other(error)) => return Err(error),
            }
        }
        failed.map_or(Ok(None), Err)
    }
}

impl Proxy {
    fn get(&self, client: &Client, path: &str) -> Result<Vec<u8>, Failure> {
        match self {
            Proxy::Url(url) => client.get(&format!("{url}/{path}")),
            Proxy::Folder(folder) => client.read(&folder.join(path)),
        }
    }
}

fn proxy(url: &str) -> Result<Proxy, Error> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    match scheme {
        "http" | "https" if !rest.is_empty() => {
            Ok(Proxy::Url(url.trim_end_matches('/').to_owned()))
        }
        "file" if rest.starts_with('/') => Ok(Proxy::Folder(decoded(rest).into())),
        _ => {
            let message = format!("GOPROXY has the entry `{url}`, which is not a proxy");
            Err(Error::new(ErrorKind::Fetch, message).with_help(
                "entries are https://HOST, http://HOST, file:///FOLDER, `direct` or `off`",
            ))
        }
    }
}

/// Returns a path of a URL with its percent escapes decoded.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn no_proxy(list: &str) -> Error {
    let message = match list
        .split([',', '|'])
        .map(str::trim)
        .find(|part| !part.is_empty())
    {
        Some("off") => "GOPROXY=off forbids downloads",
        Some("direct") => {
            "GOPROXY=direct asks for version control systems, which nri-compat does not use"
        }
        _ => "GOPROXY has no entries",
    };
    Error::new(ErrorKind::Fetch, message).with_help(format!(
        "name a module proxy, as in `GOPROXY={DEFAULT} nri-compat update-data DIR`, or fetch the data on another machine"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(list: &str) -> Vec<ProxyEntry> {
        let proxies = Proxies::parse(list, &Limits::default());
        proxies.expect("the list has a proxy").entries
    }

    fn url(url: &str, any_failure: bool) -> ProxyEntry {
        let proxy = Proxy::Url(url.to_owned());
        ProxyEntry { proxy, any_failure }
    }

    #[test]
    fn separators_decide_when_the_next_is_asked() {
        assert_eq!(
            entries(
                " https://a.example/ , http://b.example/go|file:///c%20d,direct,https://e.example"
            ),
            [
                url("https://a.example", false),
                url("http://b.example/go", true),
                ProxyEntry {
                    proxy: Proxy::Folder("/c d".into()),
                    any_failure: false,
                },
            ]
        );
        assert_eq!(
            entries("https://a.example|off"),
            [url("https://a.example", true)]
        );
    }

    #[test]
    fn a_list_without_a_proxy_says_why() {
        let message = |list| {
            Proxies::parse(list, &Limits::default())
                .unwrap_err()
                .to_string()
        };
        assert!(message("off").contains("forbids downloads"));
        assert!(message("direct,https://a.example").contains("version control"));
        assert!(message(",|").contains("no entries"));
        for wrong in [
            "proxy.example",
            "ftp://proxy.example",
            "file://relative",
            "https://",
        ] {
            assert!(message(wrong).contains("is not a proxy"), "{wrong}");
        }
    }
}

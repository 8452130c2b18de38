//! URLs of registries, token servers and redirects: `http` and `https` without user and password.

use std::fmt;

/// The maximum length of a URL in bytes; signed URLs of object stores have a few kilobytes.
const MAX_URL: usize = 16 << 10;

/// A URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) is_https: bool,
    /// The host, with its port if one is given.
    pub(super) host: String,
    /// The path and the query, with the leading slash.
    pub(super) path: String,
}

impl Location {
    /// Parses an absolute URL; `None` if it is not one, or has a user.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") || text.len() > MAX_URL {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let path = path.split('#').next().unwrap_or_default();
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if host.is_empty() || host.contains(['@', '\\']) || !is_plain(host) || !is_plain(path) {
            return None;
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Some(Self {
            is_https,
            host: host.to_ascii_lowercase(),
            path: format!("{slash}{path}"),
        })
    }

    /// Returns the target of a `Location` header in an answer from this URL.
    pub(super) fn join(&self, header: &str) -> Option<Self> {
        if header.starts_with("//") {
            let scheme = if self.is_https { "https:" } else { "http:" };
            return Self::parse(&format!("{scheme}{header}"));
        }
        if !header.starts_with('/') {
            return Self::parse(header);
        }
        let origin = Self {
            path: String::new(),
            ..self.clone()
        };
        Self::parse(&format!("{origin}{header}"))
    }

    /// Returns true if both have the same server and protocol.
    pub(super) fn is_same_origin(&self, other: &Self) -> bool {
        self.is_https == other.is_https && self.address() == other.address()
    }

    /// Returns the host and the port.
    fn address(&self) -> (&str, &str) {
        let default = if self.is_https { "443" } else { "80" };
        split_port(&self.host).map_or((&self.host, default), |(host, port)| (host, port))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_https { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.host, self.path)
    }
}

/// Separates the port of a host; `None` if it has none. The colons of an IPv6 address in brackets
/// do not count.
pub(super) fn split_port(host: &str) -> Option<(&str, &str)> {
    let (name, port) = host.rsplit_once(':')?;
    (!port.ends_with(']')).then_some((name, port))
}

/// Escapes all characters of a text that have a meaning in a query.
pub(super) fn escaped(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::new(), |mut all, byte| {
        if is_plain(byte) {
            all.push(char::from(byte));
        } else {
            all.push_str(&format!("%{byte:02X}"));
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Location {
        Location::parse(text).expect(text)
    }

    #[test]
    fn redirects_are_absolute_or_at_the_same_server() {
        let here = at("https://r.example:5000/v2/a/blobs/x?y");
        for (header, there) in [
            ("/other?q#f", "https://r.example:5000/other?q"),
            ("//cdn.example/x", "https://cdn.example/x"),
            ("http://cdn.example?x", "http://cdn.example/?x"),
            ("HTTPS://CDN.example/X", "https://cdn.example/X"),
        ] {
            assert_eq!(
                here.join(header).map(|url| url.to_string()).as_deref(),
                Some(there)
            );
        }
        for wrong in [
            "",
            "other",
            "ftp://a/b",
            "https://",
            "https://u:p@a/b",
            "https://a\\@b/",
            "/a b",
            "file:///etc/passwd",
        ] {
            assert_eq!(here.join(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_origin_is_protocol_host_and_port() {
        let here = at("https://a.example/x");
        assert!(here.is_same_origin(&at("https://A.example:443/y")));
        for other in [
            "http://a.example/x",
            "https://a.example:444/x",
            "https://b.example/x",
        ] {
            assert!(!here.is_same_origin(&at(other)), "{other}");
        }
        assert_eq!(split_port("[::1]"), None);
        assert_eq!(split_port("[::1]:80"), Some(("[::1]", "80")));
        assert_eq!(escaped("repository:a/b:pull"), "repository%3Aa%2Fb%3Apull");
    }
}

//! Parses the first line of an HTTP/1 request; the rest does not matter here.

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Head,
    Other,
    /// The first line is not an HTTP/1 request line.
    Malformed,
}

/// A request whose headers have all arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) method: Method,
    /// The path without its query.
    pub(super) path: &'a str,
}

/// Parses a request. Returns `None` until its headers have arrived completely.
pub(super) fn parse(received: &[u8]) -> Option<Head<'_>> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n")?;
    let malformed = Head {
        method: Method::Malformed,
        path: "",
    };
    let head = received
        .get(..end)
        .and_then(|head| std::str::from_utf8(head).ok());
    let line = head
        .and_then(|head| head.split("\r\n").next())
        .unwrap_or_default();
    Some(first_line(line).unwrap_or(malformed))
}

fn first_line(line: &str) -> Option<Head<'_>> {
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return None;
    }
    let method = match method {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        _ => Method::Other,
    };
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    Some(Head { method, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_parsed_once_its_headers_are_complete() {
        let request = b"GET /metrics?name=x HTTP/1.1\r\nHost: a\r\n\r\n";
        for cut in 0..request.len() {
            assert_eq!(parse(&request[..cut]), None, "{cut}");
        }
        let (method, path) = (Method::Get, "/metrics");
        assert_eq!(parse(request), Some(Head { method, path }));
    }

    #[test]
    fn everything_else_is_malformed_or_another_method() {
        for (line, method) in [
            ("HEAD / HTTP/1.0", Method::Head),
            ("POST /healthz HTTP/1.1", Method::Other),
            ("GET / HTTP/2", Method::Malformed),
            ("GET  / HTTP/1.1", Method::Malformed),
            ("GET http://a/ HTTP/1.1", Method::Malformed),
            ("GET /", Method::Malformed),
            ("", Method::Malformed),
        ] {
            let request = format!("{line}\r\n\r\n");
            assert_eq!(parse(request.as_bytes()).unwrap().method, method, "{line}");
        }
        assert_eq!(parse(b"\xff\r\n\r\n").unwrap().method, Method::Malformed);
    }
}

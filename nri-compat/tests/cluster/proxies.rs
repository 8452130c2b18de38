//! Proxies between the command and the API server.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::api_server::{ApiServer, kubeconfig};
use crate::command::{SMALL, check, command, run};

/// Starts a proxy on loopback for one connection at a time. `open` reads the request and returns
/// the server that it names, and the request as text.
fn start(
    open: impl Fn(&mut TcpStream) -> io::Result<(TcpStream, String)> + Send + 'static,
) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let Ok((server, request)) = open(&mut client) else {
                continue;
            };
            if sender.send(request).is_err() {
                return;
            }
            join(client, server);
        }
    });
    (address, receiver)
}

/// Copies what either side writes to the other, until they end.
fn join(client: TcpStream, server: TcpStream) {
    let copies = [(client.try_clone(), server.try_clone()), (Ok(server), Ok(client))];
    for (from, to) in copies {
        let (mut from, mut to) = (from.expect("a handle"), to.expect("a handle"));
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Both);
        });
    }
}

/// Reads a request to open a tunnel: `CONNECT HOST:PORT HTTP/1.1`, and headers.
fn connect(client: &mut TcpStream) -> io::Result<(TcpStream, String)> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let address = head.split_whitespace().nth(1).unwrap_or_default();
    let server = TcpStream::connect(address)?;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    Ok((server, head))
}

/// Returns a kubeconfig for a server behind a proxy.
fn behind(server: &str, proxy: &str) -> String {
    let cluster = format!(r#""server": "{server}", "proxy-url": "{proxy}""#);
    let text = kubeconfig(server, r#"{"token":"abc"}"#);
    text.replace(&format!(r#""server": "{server}""#), &cluster)
}

#[test]
fn a_tunnel_of_an_http_proxy_leads_to_the_server() {
    let server = ApiServer::start(|request| SMALL.answer(request));
    let (proxy, requests) = start(connect);
    let output = check(&behind(&server.url(), &format!("http://me:secret@{proxy}")), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let request = requests.recv().expect("a request");
    let line = format!("CONNECT {} HTTP/1.1\r\n", server.address());
    assert!(request.starts_with(&line), "{request}");
    let login = "proxy-authorization: basic bwu6c2vjcmv0";
    assert!(request.to_lowercase().contains(login), "{request}");
}

#[test]
fn a_proxy_of_the_environment_has_exceptions() {
    let home = tempfile::TempDir::new().expect("a folder");
    let config = kubeconfig("https://api.invalid:1", "{}");
    std::fs::write(home.path().join("config"), config).expect("written");
    for (exceptions, expected) in [("other.invalid", true), (".invalid", false)] {
        let (proxy, requests) =
            start(|client| connect(client).or_else(|_| Ok((client.try_clone()?, String::new()))));
        let output = run(command(home.path(), &["--kubeconfig", "config"])
            .env("HTTPS_PROXY", format!("http://{proxy}"))
            .env("NO_PROXY", exceptions));
        output.fails_with(&["https://api.invalid:1"]);
        assert_eq!(requests.try_recv().is_ok(), expected, "{exceptions}");
    }
}

#[test]
fn a_proxy_that_cannot_be_used_is_named() {
    let server = "http://127.0.0.1:1";
    let unsupported = check(&behind(server, "https://me:secret@127.0.0.1:1"), &[]);
    unsupported.fails_with(&["scheme `https` are not supported"]);
    assert!(!unsupported.stderr.contains("secret"), "{unsupported:?}");
    check(&behind(server, "socks5://127.0.0.1:1"), &[])
        .fails_with(&[server, "the proxy of the context `test`"]);
}

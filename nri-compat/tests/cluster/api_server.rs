//! A server on loopback that answers like the API server of a generated cluster, and misbehaves on
//! request.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A request, as far as the tests look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
    /// The headers, with names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
    /// The number of requests for the same path before this one.
    pub(crate) nth: usize,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A status, further headers, and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// The beginning of a body; then the connection is closed.
    Cut(String),
    /// The beginning of a body, then nothing until the client gives up.
    Stall(String),
    /// Nothing, until the client gives up.
    Silence,
}

/// A server that ends with the value.
pub(crate) struct ApiServer {
    scheme: &'static str,
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
}

type Handler = dyn Fn(&Request) -> Answer + Send + Sync;

/// A connection, encrypted or not.
pub(crate) trait Connection: Read + Write {}

impl<T: Read + Write> Connection for T {}

impl ApiServer {
    /// Starts a server that answers with `handler`.
    pub(crate) fn start(handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::listen("http", |stream| Some(Box::new(stream)), handler)
    }

    /// Starts a server whose connections `accept` sets up, for URLs with this scheme.
    pub(crate) fn listen(
        scheme: &'static str,
        accept: impl Fn(TcpStream) -> Option<Box<dyn Connection>> + Send + Sync + 'static,
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = Self {
            scheme,
            address: listener.local_addr().expect("an address"),
            requests: Arc::default(),
            stopped: Arc::default(),
        };
        let (requests, stopped) = (server.requests.clone(), server.stopped.clone());
        let (handler, accept): (Arc<Handler>, _) = (Arc::new(handler), Arc::new(accept));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (requests, handler) = (requests.clone(), handler.clone());
                let accept = accept.clone();
                thread::spawn(move || {
                    if let Some(stream) = accept(stream) {
                        serve(stream, &requests, &*handler);
                    }
                });
            }
        });
        server
    }

    /// Returns the URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// Returns the address and the port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        lock(&self.requests).clone()
    }

    /// Returns a kubeconfig with one context, `test`, for this server.
    pub(crate) fn kubeconfig(&self) -> String {
        kubeconfig(&self.url(), r#"{"token":"abc"}"#)
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

/// Returns a kubeconfig with one context, `test`.
pub(crate) fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        r#"{{"apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{{"name": "c", "cluster": {{"server": "{server}"}}}}],
        "users": [{{"name": "u", "user": {user}}}],
        "contexts": [{{"name": "test", "context": {{"cluster": "c", "user": "u"}}}}]}}"#
    )
}

impl Answer {
    /// Returns an answer with status 200.
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Status(200, Vec::new(), body.into())
    }

    /// Returns a failure as the API server words it.
    pub(crate) fn failure(code: u16, reason: &str, message: &str) -> Self {
        let body = format!(
            r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{message}","reason":"{reason}","code":{code}}}"#
        );
        Self::Status(code, Vec::new(), body)
    }
}

/// Returns a page of a list of `count` objects, which `object` returns by number.
pub(crate) fn page(request: &Request, count: usize, object: impl Fn(usize) -> String) -> Answer {
    let number = |key: &str| request.query.get(key).and_then(|text| text.parse().ok());
    let first = number("continue").unwrap_or(0).min(count);
    let end = number("limit").map_or(count, |limit: usize| (first + limit).min(count));
    let objects: Vec<String> = (first..end).map(object).collect();
    let next = if end < count {
        format!(r#","continue":"{end}","remainingItemCount":{}"#, count - end)
    } else {
        String::new()
    };
    Answer::ok(format!(
        r#"{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"1"{next}}},"items":[{}]}}"#,
        objects.join(",")
    ))
}

fn serve(stream: Box<dyn Connection>, requests: &Mutex<Vec<Request>>, handler: &Handler) {
    let mut reader = BufReader::new(stream);
    while let Some(mut request) = read(&mut reader) {
        {
            let mut requests = lock(requests);
            let last = requests.iter().rev().find(|one| one.path == request.path);
            request.nth = last.map_or(0, |last| last.nth + 1);
            requests.push(request.clone());
        }
        if !answer(&mut **reader.get_mut(), handler(&request)) {
            return;
        }
    }
}

/// Writes an answer; returns false if the connection ends.
fn answer(stream: &mut dyn Connection, answer: Answer) -> bool {
    match answer {
        Answer::Status(code, headers, body) => {
            let headers: String =
                headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let head = format!(
                "HTTP/1.1 {code} Status\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
                body.len()
            );
            // In one write: the second of two would wait until the first one is acknowledged.
            stream.write_all((head + &body).as_bytes()).is_ok() && stream.flush().is_ok()
        }
        Answer::Cut(body) => {
            begin(stream, &body);
            false
        }
        Answer::Stall(body) => {
            begin(stream, &body);
            let _ = stream.read(&mut [0]);
            false
        }
        Answer::Silence => {
            let _ = stream.read(&mut [0]);
            false
        }
    }
}

/// Writes the beginning of an answer that announces more.
fn begin(stream: &mut dyn Connection, body: &str) {
    let length = body.len() + 100;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let _ = stream.write_all((head + body).as_bytes());
    let _ = stream.flush();
}

fn read(reader: &mut impl std::io::BufRead) -> Option<Request> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|&read| read > 0)?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, parameters) = target.split_once('?').unwrap_or((target, ""));
    let pairs = parameters.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let mut request = Request { method, path: path.to_owned(), query, ..Request::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        request.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = request.headers.get("content-length").and_then(|text| text.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).ok()?;
    Some(request)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A generated cluster.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    pub(crate) nodes: usize,
    pub(crate) pods: usize,
    /// Every pod with a number that this divides runs a plugin.
    pub(crate) plugin_every: usize,
    /// The number of irrelevant characters in each pod.
    pub(crate) padding: usize,
}

impl Generated {
    /// Returns the answer of the cluster to a request.
    pub(crate) fn answer(&self, request: &Request) -> Answer {
        match request.path.rsplit('/').next().unwrap_or_default() {
            "nodes" => page(request, self.nodes, |nth| node(nth, runtime_of(nth))),
            "pods" => page(request, self.pods, |nth| self.pod(nth)),
            "daemonsets" => page(request, 2, |nth| daemon_set(["logger", "idle"][nth])),
            _ => page(request, 0, |_| String::new()),
        }
    }

    fn pod(&self, nth: usize) -> String {
        let node = format!("node-{}", nth % self.nodes);
        let padding = "x".repeat(self.padding);
        if nth.is_multiple_of(self.plugin_every) {
            plugin_pod(&format!("logger-{nth}"), &node, "logger", &padding)
        } else {
            other_pod(&format!("web-{nth}"), &node, &padding)
        }
    }
}

/// Returns a runtime, one of two.
fn runtime_of(nth: usize) -> &'static str {
    if nth % 5 == 4 { "cri-o://1.35.1" } else { "containerd://2.2.3" }
}

/// Returns a node.
pub(crate) fn node(nth: usize, runtime: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"node-{nth}","labels":{{"a":"b"}}}},"spec":{{}},"status":{{"conditions":[],"nodeInfo":{{"containerRuntimeVersion":"{runtime}","operatingSystem":"linux","kubeletVersion":"v1.36.3"}}}}}}"#
    )
}

/// The specification of a pod with a plugin.
pub(crate) const PLUGIN_SPEC: &str = r#""volumes":[{"name":"nri","hostPath":{"path":"/var/run/nri","type":""}}],"containers":[{"name":"plugin","image":"localhost:1/logger:1","volumeMounts":[{"name":"nri","mountPath":"/var/run/nri"}]}]"#;

/// Returns a pod with a plugin that a daemon set owns.
pub(crate) fn plugin_pod(name: &str, node: &str, owner: &str, padding: &str) -> String {
    let digest = "ab".repeat(32);
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"kube-system","annotations":{{"padding":"{padding}"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"DaemonSet","name":"{owner}","uid":"1","controller":true}}]}},"spec":{{"nodeName":"{node}",{PLUGIN_SPEC}}},"status":{{"phase":"Running","containerStatuses":[{{"name":"plugin","imageID":"localhost:1/logger@sha256:{digest}","image":"localhost:1/logger:1"}}]}}}}"#
    )
}

fn other_pod(name: &str, node: &str, padding: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"web","annotations":{{"padding":"{padding}"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d4f","uid":"2","controller":true}}]}},"spec":{{"nodeName":"{node}","volumes":[{{"name":"data","emptyDir":{{}}}}],"containers":[{{"name":"web","image":"localhost:1/web:1","volumeMounts":[{{"name":"data","mountPath":"/data"}}]}}]}},"status":{{"phase":"Running","containerStatuses":[{{"name":"web","imageID":"sha256:00"}}]}}}}"#
    )
}

/// Returns a daemon set with a plugin.
pub(crate) fn daemon_set(name: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"kube-system"}},"spec":{{"template":{{"spec":{{{PLUGIN_SPEC}}}}}}}}}"#
    )
}

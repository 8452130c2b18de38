//! Certificates: of the server, of its authority, and of the client.

use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api_server::{ApiServer, Connection};
use crate::command::{Output, SMALL, command, run};

/// An authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate with its key, both as PEM.
struct Identity {
    certificate: String,
    key: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("a certificate").pem();
        let issuer = Issuer::new(params, key);
        Self { issuer, pem }
    }

    /// Returns a certificate for a name or an address.
    fn identity(&self, name: &str) -> Identity {
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Identity { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    /// Returns the certificate for a kubeconfig.
    fn data(&self) -> String {
        base64(&self.pem)
    }
}

fn base64(text: &str) -> String {
    use ::base64::Engine as _;
    ::base64::engine::general_purpose::STANDARD.encode(text)
}

/// Starts a server with this identity, which wants certificates of `clients` if there is one.
fn start(identity: &Identity, clients: Option<&Authority>) -> ApiServer {
    let certificate = CertificateDer::from_pem_slice(identity.certificate.as_bytes());
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versioned = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("protocol versions");
    let verifying = match clients {
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            let root = CertificateDer::from_pem_slice(authority.pem.as_bytes());
            roots.add(root.expect("a certificate")).expect("an authority");
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            versioned.with_client_cert_verifier(verifier.expect("a verifier"))
        }
        None => versioned.with_no_client_auth(),
    };
    let chain = vec![certificate.expect("a certificate")];
    let config = verifying.with_single_cert(chain, key.expect("a key"));
    let shared = Arc::new(config.expect("a configuration"));
    let accept = move |stream: TcpStream| {
        let connection = ServerConnection::new(shared.clone()).ok()?;
        let stream = StreamOwned::new(connection, stream);
        Some(Box::new(stream) as Box<dyn Connection>)
    };
    ApiServer::listen("https", accept, |request| SMALL.answer(request))
}

/// Returns a kubeconfig for a server, with further members of the cluster and the user.
fn config(server: &ApiServer, cluster: &Value, user: &Value) -> Value {
    let mut whole = json!({ "server": server.url() });
    let members = cluster.as_object().expect("an object").clone();
    whole.as_object_mut().expect("an object").extend(members);
    json!({
        "current-context": "test",
        "clusters": [{ "name": "c", "cluster": whole }],
        "users": [{ "name": "u", "user": user }],
        "contexts": [{ "name": "test", "context": { "cluster": "c", "user": "u" } }],
    })
}

fn check(server: &ApiServer, cluster: &Value, user: &Value) -> Output {
    let home = TempDir::new().expect("a folder");
    let config = config(server, cluster, user).to_string();
    std::fs::write(home.path().join("config"), config).expect("written");
    run(&mut command(home.path(), &["--kubeconfig", "config"]))
}

#[track_caller]
fn succeeds(output: &Output) {
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn the_server_needs_a_certificate_of_the_authority() {
    let authority = Authority::new();
    let server = start(&authority.identity("127.0.0.1"), None);
    let user = json!({ "token": "abc" });
    succeeds(&check(&server, &json!({ "certificate-authority-data": authority.data() }), &user));
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer abc");
    succeeds(&check(&server, &json!({ "insecure-skip-tls-verify": true }), &user));
    let other = Authority::new().data();
    for cluster in [json!({}), json!({ "certificate-authority-data": other })] {
        check(&server, &cluster, &user).fails_with(&[
            "invalid peer certificate",
            &server.url(),
            "the context `test`",
        ]);
    }
}

#[test]
fn clients_can_have_certificates() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let server = start(&authority.identity("127.0.0.1"), Some(&clients));
    let cluster = json!({ "certificate-authority-data": authority.data() });
    let Identity { certificate, key } = clients.identity("me");
    let data = json!({
        "client-certificate-data": base64(&certificate), "client-key-data": base64(&key),
    });
    succeeds(&check(&server, &cluster, &data));
    check(&server, &cluster, &json!({ "token": "abc" }))
        .fails_with(&[&server.url(), "`client-certificate`"]);
    let given = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": { "clientCertificateData": certificate, "clientKeyData": key },
    });
    let plugin = json!({ "exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": "printf", "args": ["%s", given.to_string()],
    } });
    succeeds(&check(&server, &cluster, &plugin));
}

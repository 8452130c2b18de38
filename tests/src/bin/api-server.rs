//! Serves a generated cluster on loopback until standard input ends, and prints the path of a
//! kubeconfig for it: `api-server FOLDER NODES PODS PADDING`.

#[path = "../../../nri-compat/tests/cluster/api_server.rs"]
#[allow(dead_code)]
mod api_server;

use std::io::Read as _;
use std::path::PathBuf;

use api_server::{ApiServer, Generated};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let mut number = || -> usize {
        let number = arguments.next().expect("three numbers");
        number.parse().expect("a number")
    };
    let cluster =
        Generated { nodes: number(), pods: number(), plugin_every: 10, padding: number() };
    let server = ApiServer::start(move |request| cluster.answer(request));
    let kubeconfig = folder.join("kubeconfig");
    std::fs::write(&kubeconfig, server.kubeconfig()).expect("the folder can be written");
    println!("{}", kubeconfig.display());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

//! A generated cluster of 5,000 nodes and 50,000 pods, which is read in bounded memory.

#[path = "../../../nri-compat/tests/cluster/api_server.rs"]
#[allow(dead_code)]
mod api_server;

use api_server::{ApiServer, Generated};
use nri_compat::cluster::{ClusterOptions, read};

/// The memory that reading the cluster may add in bytes. All pages together are larger.
const MAX_ADDED: usize = 48 << 20;

/// Returns the peak of the memory of this process in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let mut words = line.expect("a peak").split_whitespace().skip(1);
    let kib: usize = words.next().expect("a number").parse().expect("a number");
    kib << 10
}

#[test]
fn a_large_cluster_is_read_in_bounded_memory() {
    let cluster = Generated { nodes: 5000, pods: 50_000, plugin_every: 10, padding: 1500 };
    let server = ApiServer::start(move |request| cluster.answer(request));
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = folder.path().join("config");
    std::fs::write(&kubeconfig, server.kubeconfig()).expect("it can be written");
    let options = ClusterOptions { kubeconfig: Some(kubeconfig), ..ClusterOptions::default() };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let before = peak();
    let found = runtime.block_on(read(&options)).expect("it is read");
    let added = peak() - before;
    assert_eq!((found.view.pods, found.view.workloads, found.unread.len()), (50_000, 2, 0));
    let pools: Vec<(&str, usize)> =
        found.view.pools.iter().map(|pool| (pool.runtime.as_str(), pool.nodes.len())).collect();
    assert_eq!(pools, [("containerd://2.2.3", 4000), ("cri-o://1.35.1", 1000)]);
    let plugins: Vec<(String, u64, usize)> = found
        .plugins
        .iter()
        .map(|plugin| (plugin.place.workload(), plugin.pods, plugin.nodes.len()))
        .collect();
    let expected = [
        ("DaemonSet kube-system/idle".to_owned(), 0, 0),
        ("DaemonSet kube-system/logger".to_owned(), 5000, 500),
    ];
    assert_eq!(plugins, expected);
    assert_eq!(server.requests().len(), 10 + 100 + 5);
    assert!(added < MAX_ADDED, "reading takes {} MiB", added >> 20);
}

//! The interfaces and addresses of a network namespace, from `/proc`.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use super::{Machine, Network, Pause};

impl Machine {
    /// Reads the network of a pod: through the process of the sandbox, else from inside the
    /// namespace.
    pub(super) fn network(&self, namespace: Option<&Path>, pause: Pause) -> Option<Network> {
        if let Pause::Running(pid) = pause {
            let through_process = Network::read(&self.at(format!("proc/{pid}/net")));
            if through_process.is_some() {
                return through_process;
            }
        }
        Network::read_inside(namespace?)
    }
}

impl Network {
    /// Reads the files of a folder such as `/proc/PID/net`; `None` if there is none.
    fn read(folder: &Path) -> Option<Network> {
        let devices = fs::read_to_string(folder.join("dev")).ok()?;
        let ipv4 = fs::read_to_string(folder.join("fib_trie")).unwrap_or_default();
        let ipv6 = fs::read_to_string(folder.join("if_inet6")).unwrap_or_default();
        Some(Network {
            interfaces: interfaces(&devices).map(str::to_owned).collect(),
            addresses: ipv4_addresses(&ipv4).into_iter().chain(ipv6_addresses(&ipv6)).collect(),
        })
    }

    /// Reads the network of a namespace from a thread that enters it and ends there.
    #[cfg(target_os = "linux")]
    fn read_inside(namespace: &Path) -> Option<Network> {
        use std::os::fd::AsFd as _;

        use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

        let namespace = fs::File::open(namespace).ok()?;
        let reader = move || {
            let kind = Some(LinkNameSpaceType::Network);
            move_into_link_name_space(namespace.as_fd(), kind).ok()?;
            Network::read(Path::new("/proc/thread-self/net"))
        };
        let thread = std::thread::Builder::new().name("network".to_owned());
        thread.spawn(reader).ok()?.join().ok().flatten()
    }

    /// Returns nothing: only Linux has namespaces.
    #[cfg(not(target_os = "linux"))]
    fn read_inside(_: &Path) -> Option<Network> {
        None
    }
}

/// Returns the names in `/proc/net/dev`, which has two lines of headings.
fn interfaces(devices: &str) -> impl Iterator<Item = &str> {
    devices
        .lines()
        .skip(2)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim())
        .filter(|name| *name != "lo")
}

/// Returns the addresses in `/proc/net/fib_trie`: each leaf that is routed to the local host. The
/// kernel adds them when an interface comes up, and removes them when it goes down.
fn ipv4_addresses(trie: &str) -> BTreeSet<IpAddr> {
    let mut addresses = BTreeSet::new();
    let mut leaf = None;
    for line in trie.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            leaf = address.parse::<Ipv4Addr>().ok();
        } else if line == "/32 host LOCAL" {
            addresses.extend(leaf.filter(|address| !address.is_loopback()).map(IpAddr::V4));
        }
    }
    addresses
}

/// Returns the addresses in `/proc/net/if_inet6`, where each line begins with an address without
/// separators.
fn ipv6_addresses(table: &str) -> impl Iterator<Item = IpAddr> {
    table
        .lines()
        .filter_map(|line| u128::from_str_radix(line.split_whitespace().next()?, 16).ok())
        .map(Ipv6Addr::from)
        .filter(|address| !address.is_loopback() && !address.is_unicast_link_local())
        .map(IpAddr::V6)
}

#[cfg(test)]
mod tests {
    use super::{IpAddr, interfaces, ipv4_addresses, ipv6_addresses};

    const TRIE: &str = "\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 10.1.0.0
        /24 link UNICAST
     |-- 10.1.0.7
        /32 host LOCAL
     |-- 127.0.0.1
        /32 host LOCAL
Local:
     |-- 10.1.0.7
        /32 host LOCAL
     |-- 10.1.0.255
        /32 link BROADCAST
";

    #[test]
    fn local_addresses_are_found() {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(ipv4_addresses(TRIE), [address("10.1.0.7")].into());
        let table = "\
00000000000000000000000000000001 01 80 10 80       lo
fe80000000000000a8c1abfffe000001 02 40 20 80     eth0
fd000000000000000000000000000007 02 40 00 80     eth0
";
        assert!(ipv6_addresses(table).eq([address("fd00::7")]));
    }

    #[test]
    fn interfaces_are_listed_without_the_loopback() {
        let table = "Inter-|   Receive\n face |bytes\n    lo: 1 2\n  eth0: 3 4\n";
        assert_eq!(interfaces(table).collect::<Vec<_>>(), ["eth0"]);
    }
}

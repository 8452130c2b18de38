//! Moves network devices between namespaces.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::thread;

use rtnetlink::packet_route::link::LinkMessage;
use rtnetlink::{Handle, LinkMessageBuilder, LinkUnspec};
use rustix::net::{AddressFamily, SocketType, netdevice, socket};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::request::Device;

/// The network devices of the host and its pods.
pub(crate) trait Links: Send + Sync {
    /// Moves a device of the host into a pod's network namespace, and configures it.
    fn inject(&self, namespace: &Path, device: &Device) -> nri::Result<()>;

    /// Moves a device back to the host, where it gets its old name and is down.
    fn release(&self, namespace: &Path, device: &Device) -> nri::Result<()>;
}

/// The devices that the kernel has.
pub(crate) struct Kernel;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

impl Links for Kernel {
    fn inject(&self, namespace: &Path, device: &Device) -> nri::Result<()> {
        let injected = in_thread(|| async {
            let pod = File::open(namespace)?;
            let host = current_namespace()?;
            let link = link(&device.name)?;
            move_to(&pod, link.name(device.new_name.clone())).await?;
            enter(&pod)?;
            let configured = configure(device).await;
            if configured.is_err() {
                move_to(&host, link_named_back(device)?).await?;
            }
            configured
        });
        injected.map_err(|error| failed("inject", device, namespace, &*error))
    }

    fn release(&self, namespace: &Path, device: &Device) -> nri::Result<()> {
        let released = in_thread(|| async {
            let host = current_namespace()?;
            enter(&File::open(namespace)?)?;
            move_to(&host, link_named_back(device)?).await
        });
        released.map_err(|error| failed("release", device, namespace, &*error))
    }
}

fn failed(what: &str, device: &Device, namespace: &Path, error: &dyn Display) -> nri::Error {
    let (name, namespace) = (&device.name, namespace.display());
    nri::Error::new(format!("cannot {what} network device {name} ({namespace}): {error}"))
}

/// Runs work in a separate thread, which may enter another namespace, and waits for it.
fn in_thread<F: Future<Output = Result>>(work: impl FnOnce() -> F + Send) -> Result {
    thread::scope(|scope| {
        let working = scope.spawn(|| {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_io().build()?.block_on(work())
        });
        let outcome = working.join();
        outcome.unwrap_or_else(|_| Err("the thread panicked".into()))
    })
}

/// Returns the network namespace of this thread.
fn current_namespace() -> io::Result<File> {
    File::open("/proc/thread-self/ns/net")
}

/// Puts this thread into a network namespace.
fn enter(namespace: &File) -> io::Result<()> {
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(())
}

type Link = LinkMessageBuilder<LinkUnspec>;

/// Returns changes for the device of this name in the thread's namespace.
fn link(name: &str) -> io::Result<Link> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    Ok(LinkUnspec::new_with_index(netdevice::name_to_index(socket, name)?))
}

/// Returns the change that gives an injected device its old name.
fn link_named_back(device: &Device) -> io::Result<Link> {
    Ok(link(&device.new_name)?.down().name(device.name.clone()))
}

/// Moves a device to a namespace, along with other changes.
async fn move_to(namespace: &File, link: Link) -> Result {
    change(link.setns_by_fd(namespace.as_raw_fd()).build()).await
}

/// Sets the size of packets and the address of an injected device, and brings it up.
async fn configure(device: &Device) -> Result {
    if let Some(mtu) = device.mtu {
        change(link(&device.new_name)?.mtu(mtu).build()).await?;
    }
    let link = link(&device.new_name)?.up().build();
    if let Some((address, prefix)) = device.network() {
        let adding = connect()?.address().add(link.header.index, address, prefix);
        adding.execute().await?;
    }
    change(link).await
}

async fn change(link: LinkMessage) -> Result {
    connect()?.link().set(link).execute().await?;
    Ok(())
}

/// Connects to the kernel, which acts in the thread's namespace at this time.
fn connect() -> io::Result<Handle> {
    let (connection, handle, _) = rtnetlink::new_connection()?;
    tokio::spawn(connection);
    Ok(handle)
}

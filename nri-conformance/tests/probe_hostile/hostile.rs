//! A plugin that misbehaves on request: `nothing`, or `BEHAVIOR:RPC`, with `*` for every RPC.

pub(crate) mod process;

use std::future::pending;
use std::io::Write as _;
use std::process::exit;

use bytes::Bytes;
use nri::api::{ConfigureResponse, RegisterPluginRequest};
use nri::codec::Message as _;
use nri::wire::{
    CallError, Caller, Channels, Code, Connection, Limits, Request, Service, Socket, Status,
};
use nri_conformance::session::RUNTIME_SERVICE;
use tokio::net::UnixStream;

/// The plugin's ends of the logical connections.
const CHANNELS: Channels = Channels::PLUGIN;

/// Every event up to v0.9.0.
const MASK: i32 = 0x7ff;

/// Runs the plugin, and does not return.
pub(crate) fn run(behavior: &str) -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(serve(behavior));
    exit(0)
}

async fn serve(behavior: &str) {
    if behavior == "unconnected" {
        pending::<()>().await;
    }
    let path = std::env::var_os("NRI_SOCKET").expect("started by the tests");
    let connected = UnixStream::connect(&path).await.unwrap();
    if behavior == "delete the socket" {
        std::fs::remove_file(path).unwrap();
    }
    print(behavior);
    // For false lengths, bytes are written directly to the stream.
    let plain = connected.into_std().unwrap();
    let raw = plain.try_clone().unwrap();
    let stream = Socket::new(UnixStream::from_std(plain).unwrap()).unwrap();
    let (connection, caller) = Connection::new(stream, CHANNELS, Limits::default());
    let plugin = Plugin { behavior: behavior.to_owned(), raw };
    tokio::spawn(flood(behavior.to_owned(), caller));
    let _ = connection.serve(&plugin).await;
}

fn print(behavior: &str) {
    match behavior {
        "print an error" => eprintln!("time=now level=error msg=\"cannot do it\""),
        "print a gigabyte" => {
            print_blocks(1 << 10);
            std::thread::spawn(|| print_blocks(15 << 10));
        }
        _ => {}
    }
}

/// Prints blocks of 64 KiB.
fn print_blocks(count: usize) {
    let block = [b'x'; 1 << 16];
    for _ in 0..count {
        let _ = std::io::stdout().write_all(&block);
    }
}

/// Ends the process after the milliseconds in a behavior.
fn end_after(behavior: &str) {
    let millis = behavior.rsplit(' ').next().and_then(|it| it.parse().ok());
    let delay = std::time::Duration::from_millis(millis.expect("a number"));
    std::thread::spawn(move || {
        std::thread::sleep(delay);
        exit(7);
    });
}

/// Registers, and sends unsolicited requests.
async fn flood(behavior: String, caller: Caller) -> Result<(), CallError> {
    let name = behavior.strip_prefix("name ").unwrap_or("hostile");
    let registration = RegisterPluginRequest {
        plugin_name: name.to_owned(),
        plugin_idx: "10".to_owned(),
        nri_version: "v0.12.5".to_owned(),
    };
    let large = RegisterPluginRequest { plugin_name: "x".repeat(1 << 20), ..registration.clone() };
    if behavior != "unregistered" {
        call(&caller, "RegisterPlugin", &registration.encode_to_vec()).await?;
    }
    let (method, payload) = match &*behavior {
        "flood updates" => ("UpdateContainers", Vec::new()),
        "flood registrations" => ("RegisterPlugin", large.encode_to_vec()),
        "flood unknown" => ("NoSuchMethod", large.encode_to_vec()),
        _ => return Ok(()),
    };
    loop {
        if let Err(error @ CallError::Closed) = call(&caller, method, &payload).await {
            return Err(error);
        }
    }
}

async fn call(caller: &Caller, method: &str, payload: &[u8]) -> Result<Bytes, CallError> {
    let payload = Bytes::copy_from_slice(payload);
    caller.call(RUNTIME_SERVICE, method, payload, None).await
}

struct Plugin {
    behavior: String,
    raw: std::os::unix::net::UnixStream,
}

impl Plugin {
    /// Returns the action for an RPC.
    fn at(&self, rpc: &str) -> Option<&str> {
        let (behavior, at) = self.behavior.split_once(':')?;
        let denied = behavior.starts_with("denial ") && rpc == "NoSuchRpc";
        (denied || at == "*" || at == rpc).then_some(behavior)
    }

    fn mask(&self) -> i32 {
        let mask = self.behavior.strip_prefix("mask ");
        mask.and_then(|mask| mask.parse().ok()).unwrap_or(MASK)
    }

    /// Answers like a well-behaved plugin.
    fn answer(&self, rpc: &str) -> Result<Bytes, Status> {
        match rpc {
            "NoSuchRpc" => Err(Status::new(Code::UNIMPLEMENTED, "unknown")),
            "Configure" => {
                let answer =
                    ConfigureResponse { events: self.mask(), ..ConfigureResponse::default() };
                Ok(answer.encode_to_vec().into())
            }
            _ => Ok(Bytes::new()),
        }
    }
}

impl Service for Plugin {
    async fn call(&self, request: Request) -> Result<Bytes, Status> {
        let rpc = &*request.method;
        match self.at(rpc) {
            Some("die") => {
                eprintln!("dying at {rpc}");
                exit(7);
            }
            Some("hang") => pending().await,
            Some("close") => {
                self.raw.shutdown(std::net::Shutdown::Both).unwrap();
                // The process keeps running.
                std::thread::sleep(std::time::Duration::from_secs(3600));
                pending().await
            }
            Some(behavior) if behavior.starts_with("refuse and end after ") => {
                end_after(behavior);
                Err(Status::new(Code::UNKNOWN, "refused"))
            }
            Some("garbage") => Ok(Bytes::from_static(b"\xff\xff\xff")),
            Some("long frame") => self.write(b"\0\0\0\x01\xff\xff\xff\xff").await,
            Some("long message") => {
                self.write(b"\0\0\0\x01\0\0\0\x0a\x7f\xff\xff\xff\0\0\0\x01\x02\0").await
            }
            Some(code) => {
                let code = code.rsplit(' ').next().and_then(|code| code.parse().ok());
                Err(Status::new(Code(code.expect("a known behavior")), "refused"))
            }
            None => self.answer(rpc),
        }
    }
}

impl Plugin {
    async fn write(&self, bytes: &[u8]) -> Result<Bytes, Status> {
        (&self.raw).write_all(bytes).unwrap();
        pending().await
    }
}

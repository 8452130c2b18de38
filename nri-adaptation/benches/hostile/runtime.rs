//! The process of our runtime. `tests/bench/hostile` has the same with the reference adaptation.

use std::io::{BufRead as _, Read as _};
use std::time::{Duration, Instant};

use nri::api::{Container, PodSandbox};
use nri::prelude::*;
use nri_adaptation::{Adaptation, Requested, RuntimeCallbacks, State};
use tokio::sync::oneshot;

use crate::Result;

/// How long containers are created under attack.
const ATTACK: Duration = Duration::from_millis(5500);

/// The time between two creations.
const PAUSE: Duration = Duration::from_millis(20);

/// Takes updates, and its time for it.
struct Slow(Duration);

impl RuntimeCallbacks for Slow {
    async fn synchronize(&self, _: &mut State) -> nri::Result<()> {
        Ok(())
    }

    async fn update_containers(&self, _: Requested) -> nri::Result<Vec<ContainerUpdate>> {
        tokio::time::sleep(self.0).await;
        Ok(Vec::new())
    }
}

/// Prints a line when it listens, and the result after the attack, which begins with a line of
/// standard input. Ends with that.
pub(crate) async fn serve(socket: &str, callback: Duration) -> Result<()> {
    let builder = Adaptation::builder("hostile", "1").listen(socket).callbacks(Slow(callback));
    let adaptation = builder.start().await?;
    println!("listens");
    let (begin, mut begins) = oneshot::channel();
    let input = std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let read = input.read_line(&mut String::new());
        // Nobody waits for it once the process ends.
        let _ = begin.send(());
        read.and_then(|_| input.read_to_end(&mut Vec::new()))
    });
    // While honest plugins connect.
    while begins.try_recv() == Err(oneshot::error::TryRecvError::Empty) {
        create(&adaptation, "early".to_owned()).await;
    }
    let mut times = Vec::new();
    let end = Instant::now() + ATTACK;
    while times.is_empty() || Instant::now() < end {
        times.push(create(&adaptation, format!("c{}", times.len())).await);
    }
    times.sort_unstable();
    let (worst, median) = (times[times.len() - 1].as_millis(), times[times.len() / 2].as_millis());
    println!("{} {worst} {median}", peak()?);
    input.join().map_err(|_| "standard input cannot be read")??;
    Ok(())
}

/// Returns the time of a creation, which hostile answers may fail.
async fn create(adaptation: &Adaptation, id: String) -> Duration {
    let pod = PodSandbox { id: "p1".to_owned(), ..PodSandbox::default() };
    let container = Container { id, ..Container::default() };
    let start = Instant::now();
    drop(adaptation.create_container(&pod, &container).await);
    let time = start.elapsed();
    tokio::time::sleep(PAUSE).await;
    time
}

/// The peak of resident memory in MiB.
fn peak() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().next().ok_or("no number")?.parse::<u64>()? >> 10)
}

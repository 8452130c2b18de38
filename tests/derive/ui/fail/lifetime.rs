use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "borrower", index = "10")]
struct Borrower<'a> {
    prefix: &'a str,
}

impl<'a> RunPodSandbox for Borrower<'a> {
    async fn run_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        println!("{}{}", self.prefix, pod.name);
        Ok(())
    }
}

fn main() {
    let prefix = String::from("pod ");
    let _ = nri::stub::Stub::builder(Borrower { prefix: &prefix });
}

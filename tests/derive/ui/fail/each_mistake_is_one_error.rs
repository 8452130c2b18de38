use nri::prelude::*;

#[derive(NriPlugin)]
#[nri(name = "pod logger", index = "7", required(RUN_POD), on_error(StopPodSandbox = "no"))]
struct Plugin;

fn is_plugin<P: nri::plugin::Plugin>(_: P) {}

fn main() {
    is_plugin(Plugin);
}

#[nri::plugin(name = "type", index = "10")]
struct Plugin;

fn main() {
    let _ = Plugin;
}

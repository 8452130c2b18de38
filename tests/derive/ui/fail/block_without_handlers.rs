struct Plugin;

#[nri::plugin(name = "empty", index = "10")]
impl Plugin {
    async fn on_connect(&self) {}
}

fn main() {}

//! Writes the random schema of a seed to a folder, to see what a comparison with buf stumbled over:
//! `cargo run -p nri-tests --example random_schema -- SEED FOLDER`.

use std::path::Path;

use nri_tests::random::SchemaCase;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(seed), Some(folder)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: random_schema SEED FOLDER");
        std::process::exit(2);
    };
    let case = SchemaCase::new(seed.parse().expect("SEED is a number"));
    case.write(Path::new(&folder)).expect("FOLDER is writable");
    println!("{}", case.changes.join("\n"));
}

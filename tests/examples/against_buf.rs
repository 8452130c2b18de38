//! Compares our breaking findings with buf's on two folders of protos, of whatever origin:
//! `cargo run -p nri-tests --example against_buf -- FROM TO`.

use std::path::Path;
use std::process::ExitCode;

use nri_tests::buf::Buf;
use nri_tests::compare::{CATEGORIES, Side, compare, text};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: against_buf FROM TO");
        return ExitCode::from(2);
    };
    match folders(Path::new(from), Path::new(to)) {
        Ok((differences, shared)) => {
            print!("{differences}");
            println!("{shared} annotations agree");
            ExitCode::from(if differences.is_empty() { 0 } else { 100 })
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn folders(from: &Path, to: &Path) -> Result<(String, usize), String> {
    let (from, to) = (Side::new(from)?, Side::new(to)?);
    let (differences, shared) = compare(&Buf::find()?, &from, &to, &CATEGORIES)?;
    Ok((text(&differences), shared))
}

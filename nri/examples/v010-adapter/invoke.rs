//! Calls the programs that the configuration names.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Output, Stdio};

use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::request::Request;

/// The configuration of NRI v0.1.0.
#[derive(Deserialize)]
pub(crate) struct Config {
    #[serde(default)]
    version: String,
    #[serde(default)]
    plugins: Vec<Program>,
}

/// A program with its own configuration.
#[derive(Deserialize)]
struct Program {
    r#type: String,
    conf: Option<Value>,
}

impl Config {
    /// Reads the configuration. Without the file, there are no programs.
    pub(crate) fn read(file: &Path) -> nri::Result<Self> {
        let text = match fs::read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => b"{}".to_vec(),
            Err(error) => return Err(invalid(file, &error)),
        };
        serde_json::from_slice(&text).map_err(|error| invalid(file, &error))
    }

    /// Calls each program in order, with the results of those before it.
    pub(crate) async fn invoke(self, path: &OsStr, mut request: Request<'_>) -> nri::Result<()> {
        request.version = self.version;
        for program in self.plugins {
            request.conf = program.conf;
            let result = call(&program.r#type, path, &request)
                .await
                .map_err(|reason| nri::Error::new(format!("{}: {reason}", program.r#type)))?;
            request.results.push(result);
        }
        Ok(())
    }
}

fn invalid(file: &Path, error: &dyn std::fmt::Display) -> nri::Error {
    let message = format!("{}: {error}", file.display());
    nri::Error::with_kind(nri::ErrorKind::Config, message)
}

/// Calls a program and returns its result, or why it failed.
async fn call(program: &str, path: &OsStr, request: &Request<'_>) -> Result<Value, String> {
    let encoded = serde_json::to_vec(request).map_err(|error| error.to_string())?;
    let output = run(program, path, &encoded).await.map_err(|error| error.to_string())?;
    let result: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        let text = String::from_utf8_lossy(&output.stdout);
        format!("{}, and its output {text:?} is not a result: {error}", output.status)
    })?;
    match result["error"].as_str() {
        None | Some("") => Ok(result),
        Some(reason) => Err(reason.to_owned()),
    }
}

/// Runs a program to its end. It is killed if the runtime gives up on the request.
async fn run(program: &str, path: &OsStr, request: &[u8]) -> std::io::Result<Output> {
    let mut child = Command::new(program)
        .arg("invoke")
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(request).await {
            // A program may answer without reading the request.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    child.wait_with_output().await
}

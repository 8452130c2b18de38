//! Packages for Debian and for distributions with RPM. nfpm builds both from one description.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::archive::gzip;
use super::files::{Files, Named};
use super::{Programs, ReleaseBuild};
use crate::error::{TaskError, reading, writing};
use crate::tool::Tool;

/// The formats, and the folder for completions of zsh in each.
const FORMATS: [(&str, &str); 2] =
    [("deb", "/usr/share/zsh/vendor-completions"), ("rpm", "/usr/share/zsh/site-functions")];

impl ReleaseBuild<'_> {
    /// Writes the packages for a processor.
    pub(super) fn package(&self, programs: &Programs, files: &Files) -> Result<(), TaskError> {
        for (format, zsh) in FORMATS {
            let description = self.description(programs, files, zsh)?;
            let config = files.folder().join("nfpm.json");
            self.write(&config, description.to_string().as_bytes())?;
            Tool::new("nfpm", "`source .ci/setup.sh; install_release` installs it")
                .with(|nfpm| {
                    nfpm.args(["package", "--packager", format, "--config"])
                        .arg(&config)
                        .arg("--target")
                        .arg(self.out)
                        .env("SOURCE_DATE_EPOCH", self.metadata.time.to_string());
                })
                .run()?;
        }
        Ok(())
    }

    fn description(
        &self,
        programs: &Programs,
        files: &Files,
        zsh: &str,
    ) -> Result<Value, TaskError> {
        let metadata = &self.metadata;
        Ok(json!({
            "name": "nri-compat",
            "arch": programs.processor.oci,
            "platform": "linux",
            "version": metadata.version,
            "release": "1",
            "section": "admin",
            "maintainer": metadata.maintainer,
            "description": metadata.description,
            "homepage": metadata.address,
            "license": metadata.license,
            "mtime": metadata.timestamp(),
            "contents": self.contents(programs, files, zsh)?,
        }))
    }

    fn contents(
        &self,
        programs: &Programs,
        files: &Files,
        zsh: &str,
    ) -> Result<Vec<Value>, TaskError> {
        let root = self.root;
        let docs = "/usr/share/doc/nri-compat";
        let mut contents = vec![
            self.content(&programs.command, "/usr/bin/nri-compat".to_owned(), 0o755),
            self.content(&programs.bridge, "/usr/bin/nri-bridge".to_owned(), 0o755),
            self.content(&root.join("LICENSE"), format!("{docs}/copyright"), 0o644),
            self.content(&root.join("nri-compat/README.md"), format!("{docs}/README.md"), 0o644),
            self.content(
                &root.join("nri-bridge/README.md"),
                format!("{docs}/nri-bridge.md"),
                0o644,
            ),
        ];
        for page in &files.man {
            let page = compressed(page, files.folder())?;
            let name = page.file_name().unwrap_or_default().to_string_lossy();
            let to = format!("/usr/share/man/man1/{name}");
            contents.push(self.content(&page, to, 0o644));
        }
        let folders =
            ["/usr/share/bash-completion/completions", zsh, "/usr/share/fish/vendor_completions.d"];
        for (script, folder) in files.completions.iter().zip(folders) {
            let to = format!("{folder}/{}", script.name);
            contents.push(self.content(&script.path, to, 0o644));
        }
        for unit in ["nri-compat.service", "nri-compat.timer"] {
            let path = self.unit(unit, files.folder())?;
            let to = format!("/usr/lib/systemd/system/{unit}");
            contents.push(self.content(&path, to, 0o644));
        }
        Ok(contents)
    }

    fn content(&self, from: &Path, to: String, mode: u32) -> Value {
        let mtime = self.metadata.timestamp();
        json!({ "src": from, "dst": to, "file_info": { "mode": mode, "mtime": mtime } })
    }

    /// Writes a unit that runs the command of the package, and returns its path.
    fn unit(&self, name: &str, folder: &Path) -> Result<PathBuf, TaskError> {
        let from = self.root.join("deploy/systemd").join(name);
        let unit = fs::read_to_string(&from).map_err(reading(&from))?;
        let path = folder.join(name);
        self.write(&path, unit.replace("/usr/local/bin/", "/usr/bin/").as_bytes())?;
        Ok(path)
    }
}

/// Writes the compressed page, and returns its path.
fn compressed(page: &Named, folder: &Path) -> Result<PathBuf, TaskError> {
    let path = folder.join(format!("{}.gz", page.name));
    let content = gzip(&page.content).map_err(writing(&path))?;
    fs::write(&path, content).map_err(writing(&path))?;
    Ok(path)
}

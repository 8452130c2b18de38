//! An image in a registry: its manifests, as parts by path like those of an archive, and the
//! platforms that are checked: one, or every Linux platform.

use serde::de::DeserializeOwned;

use crate::check::container::archive::manifest::{
    self, Blob, Image, Images, Manifest, Platform, Store, broken,
};
use crate::check::content::Content;
use crate::check::content::disk;
use crate::check::evidence::text;
use crate::escape;
use crate::registry::{Client, Digest, Reference};
use crate::skipped::{SkipKind, Unreadable};

/// The maximum size of the configuration of an image in bytes.
const MAX_CONFIG: u64 = 4 << 20;

/// An image in a registry.
pub(super) struct Remote<'c> {
    client: &'c Client,
    reference: Reference,
}

impl Store for Remote<'_> {
    /// Opens a manifest.
    fn open(&self, path: &str) -> Result<Option<Box<dyn Content + '_>>, Unreadable> {
        let part = self.reference.with_digest(digest_of(path)?);
        Ok(Some(Box::new(self.client.manifest(&part)?)))
    }

    fn layer(&self, blob: &Blob) -> Result<Box<dyn Content + '_>, Unreadable> {
        self.blob(&blob.path, blob.size)
    }
}

impl<'c> Remote<'c> {
    /// Fetches the manifests of an image for a platform. Without one, fetches those for Linux on
    /// every architecture.
    pub(super) fn fetch(
        client: &'c Client,
        reference: &str,
        asked: Option<&Platform>,
    ) -> Result<(Self, Images), Unreadable> {
        let reference = Reference::parse(reference)?;
        let remote = Self { client, reference };
        let top = client.manifest(&remote.reference)?;
        let top: Manifest = manifest::parse("the manifest", &top)?;
        let wants = |stated: &Platform| is_wanted(stated, asked);
        let mut found = manifest::images_of(&remote, top, &wants);
        if asked.is_some() {
            found.images.retain(|image| {
                let stated = image.platform.is_none().then(|| remote.config(image));
                let other: Option<Platform> = stated.flatten().filter(|stated| !wants(stated));
                found.passed_over.extend(other.iter().map(Platform::to_string));
                other.is_none()
            });
        }
        if found.images.is_empty() && found.problems.is_empty() {
            return Err(no_platform(asked, found));
        }
        Ok((remote, found))
    }

    /// Fetches a part of the configuration of an image, if it is small and valid.
    pub(super) fn config<T: DeserializeOwned>(&self, image: &Image) -> Option<T> {
        let config = image.config.as_ref()?;
        let size = config.size.filter(|size| *size <= MAX_CONFIG);
        let content = self.blob(&config.digest, size).ok()?;
        let bytes = text::bytes(&*content, MAX_CONFIG).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Fetches the blob with this digest or path, and verifies its size and its digest.
    fn blob(&self, name: &str, size: Option<u64>) -> Result<Box<dyn Content>, Unreadable> {
        let size = size.ok_or_else(|| broken("its manifest does not state its size"))?;
        let digest = digest_of(name)?;
        let file = self.client.blob(&self.reference, &digest, size)?;
        Ok(Box::new(disk::temporary(file)?))
    }
}

fn no_platform(asked: Option<&Platform>, found: Images) -> Unreadable {
    let platform = asked.map_or_else(|| "Linux".to_owned(), Platform::to_string);
    let mut reason = format!("it has no image for {platform}");
    let others: Vec<String> = found.passed_over.into_iter().collect();
    if !others.is_empty() {
        reason += &format!("; it has images for {}; select one with --platform", others.join(", "));
    }
    Unreadable::new(SkipKind::Io, reason)
}

/// Returns the digest in the path of a part, or in a text.
fn digest_of(path: &str) -> Result<Digest, Unreadable> {
    let name = path.trim_start_matches("blobs/").replacen('/', ":", 1);
    let shown = escape::short(&name);
    let reason = format!("`{shown}` is not a digest of sha256");
    Digest::parse(&name).ok_or_else(|| broken(reason))
}

/// Parses the value of `--platform`: `linux/arm64`, `linux/arm/v7`. An architecture may also have
/// the name that `uname` gives to it.
pub(super) fn parse_platform(text: &str) -> Result<Platform, String> {
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let (os, architecture, variant) = match parts[..] {
        [os, architecture] => (os, architecture, None),
        [os, architecture, variant] => (os, architecture, Some(variant)),
        _ => {
            let shown = escape::bytes(text.as_bytes());
            return Err(format!(
                "`{shown}` is not a platform; write OS/ARCHITECTURE[/VARIANT], such as linux/arm64"
            ));
        }
    };
    let architecture = match architecture {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        known => known,
    };
    Ok(Platform {
        os: os.to_owned(),
        architecture: architecture.to_owned(),
        variant: variant.map(str::to_owned),
    })
}

/// Returns true if an image for the `stated` platform is checked: the platform that was asked for,
/// or any Linux if none was. An image without a variant suits every variant.
fn is_wanted(stated: &Platform, asked: Option<&Platform>) -> bool {
    if stated.os.is_empty() || stated.architecture.is_empty() {
        return true;
    }
    let Some(asked) = asked else {
        return stated.os == "linux";
    };
    let variant = stated.variant.as_ref().filter(|variant| !variant.is_empty());
    let variants = asked.variant.as_ref().zip(variant);
    asked.os == stated.os
        && asked.architecture == stated.architecture
        && variants.is_none_or(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_without_variant_means_all_of_them() {
        for (asked, stated, wanted) in [
            (None, "linux/riscv64", true),
            (None, "windows/amd64", false),
            (Some("linux/arm64"), "linux/arm64/v8", true),
            (Some("linux/aarch64/v8"), "linux/arm64", true),
            (Some("linux/arm/v7"), "linux/arm/v7", true),
            (Some("linux/arm/v6"), "linux/arm/v7", false),
            (Some("windows/amd64"), "windows/amd64", true),
        ] {
            let platform = asked.map(|asked| parse_platform(asked).unwrap());
            let stated = parse_platform(stated).unwrap();
            let found = is_wanted(&stated, platform.as_ref());
            assert_eq!(found, wanted, "{asked:?} {stated}");
        }
        for text in ["", "linux/", "linux/amd64/v1/x"] {
            assert!(parse_platform(text).is_err(), "{text}");
        }
    }
}

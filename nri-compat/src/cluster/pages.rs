//! Lists that are read page by page.

use kube::core::params::ListParams;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Contents;
use super::client::{Client, IS_API_SERVER};
use super::error::ClusterError;
use super::resources::Resource;
use crate::skipped::SkipKind;
use crate::workloads::Node;

/// The number of objects that are requested per page, as by `kubectl`.
const PAGE_OBJECTS: u32 = 500;

/// The maximum number of pages of a list, which is enough for two million objects.
const MAX_PAGES: u32 = 4000;

/// The maximum length of a continue token in bytes.
const MAX_TOKEN: usize = 16 << 10;

/// The maximum number of times that a list is started. All pages of a list belong to one state of the
/// cluster, which the server discards after some minutes.
const MAX_STARTS: u32 = 4;

/// A list of one resource.
#[derive(Clone, Copy)]
pub(super) struct List<'c> {
    pub(super) client: &'c Client,
    pub(super) resource: &'static Resource,
    /// The namespace; `None` means all of them.
    pub(super) namespace: Option<&'c str>,
}

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    metadata: Metadata,
    /// The objects. `null` means that there are none, but a document without the key is not a list.
    #[serde(deserialize_with = "Option::deserialize")]
    items: Option<Vec<Map<String, Value>>>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(rename = "continue")]
    next: Option<String>,
}

impl Page {
    /// Parses a page.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not JSON, or not a list.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Passes the objects to `take`.
    pub(super) fn objects(self, mut take: impl FnMut(&Node)) {
        let objects = self.items.into_iter().flatten();
        objects.for_each(|object| take(&Node::from(Value::from(object))));
    }
}

impl List<'_> {
    /// Returns `contents` with the objects of all pages. A list that expires is started again.
    ///
    /// # Errors
    ///
    /// Returns an error if a page cannot be read or parsed, or if the list does not end.
    pub(super) async fn add_to(self, contents: &Contents) -> Result<Contents, ClusterError> {
        for _ in 1..MAX_STARTS {
            match self.read(contents.clone()).await {
                Err(error) if error.kind() == SkipKind::Changed => {}
                end => return end,
            }
        }
        self.read(contents.clone()).await
    }

    async fn read(self, mut contents: Contents) -> Result<Contents, ClusterError> {
        let mut page = ListParams::default().limit(PAGE_OBJECTS);
        for _ in 0..MAX_PAGES {
            let bytes = self.page(&mut page).await?;
            let mut parsed = Page::parse(&bytes).map_err(|error| self.not_a_list(error))?;
            drop(bytes);
            let next = parsed.metadata.next.take();
            let next = next.filter(|next| !next.is_empty());
            parsed.objects(|object| contents.add(self.resource, object));
            let is_too_long = |next: &String| next.len() > MAX_TOKEN;
            if next.is_none() {
                return Ok(contents);
            }
            if next == page.continue_token || next.as_ref().is_some_and(is_too_long) {
                return Err(self.endless("repeats its continue token"));
            }
            page.continue_token = next;
        }
        Err(self.endless(&format!("has no end after {MAX_PAGES} pages")))
    }

    /// Returns a page. A page that is too large is requested again with fewer objects.
    async fn page(self, page: &mut ListParams) -> Result<Vec<u8>, ClusterError> {
        loop {
            let bytes = self.client.list(self.resource, self.namespace, page).await;
            let limit = page.limit.unwrap_or(PAGE_OBJECTS);
            match bytes {
                Err(error) if error.kind() == SkipKind::Limit && limit > 1 => {
                    page.limit = Some((limit / 8).max(1));
                }
                bytes => return bytes,
            }
        }
    }

    fn not_a_list(self, error: serde_json::Error) -> ClusterError {
        let message = format!(
            "{} answers the request for {} with something else",
            self.client.server,
            self.resource.name()
        );
        ClusterError::new(SkipKind::Broken, message)
            .caused_by(error)
            .with_help(IS_API_SERVER)
    }

    fn endless(self, how: &str) -> ClusterError {
        let message = format!("the list of {} {how}", self.resource.name());
        ClusterError::new(SkipKind::Limit, message)
    }
}

//! Policy reports in a cluster: writes the one about a node, and lists those about all nodes.

use kube::core::params::{ListParams, Patch, PatchParams};
use serde::Deserialize;
use serde_json::Value;

use super::ClusterOptions;
use super::access::access;
use super::client::ApiClient;
use super::error::ClusterError;
use super::resources::{Resource, VERB};
use crate::bounded_json;
use crate::report::policy_report::{Api, MANAGED_BY, PolicyReport, SOURCE};
use crate::skipped::SkipKind;

/// The number of objects that are requested per page: an object may have nearly a megabyte.
const PAGE_OBJECTS: u32 = 50;

/// The maximum number of pages, which is enough for as many nodes as `merge` can hold.
const MAX_PAGES: u32 = 10_000;

/// The verb that writes an object. If it does not exist yet, the API server also asks for `create`.
const WRITING_VERB: &str = "patch";

/// A page of a list of policy reports.
#[derive(Deserialize)]
struct ReportPage {
    #[serde(default)]
    metadata: PageMetadata,
    items: Vec<Value>,
}

#[derive(Default, Deserialize)]
struct PageMetadata {
    #[serde(default, rename = "continue")]
    next: Option<String>,
}

/// Writes a policy report into a cluster. It replaces the earlier one with the same name, which
/// this tool owns.
///
/// # Errors
///
/// Returns an error if the API server cannot be found or reached, does not have the API, or
/// refuses.
pub async fn publish(
    options: &ClusterOptions,
    api: Api,
    report: &PolicyReport,
) -> Result<(), ClusterError> {
    let client = ApiClient::new(access(options).await?, options).await?;
    let resource = Resource::policy_reports(api);
    let parameters = PatchParams::apply(SOURCE).force();
    let request = kube::core::Request::new(resource.path(None)).patch(
        report.name(),
        &parameters,
        &Patch::Apply(report),
    );
    let answer = client.request(WRITING_VERB, &resource, request).await;
    answer.map(drop).map_err(|error| with_help(error, api))
}

/// Passes each policy report of this tool in a cluster to `each`, as JSON.
///
/// # Errors
///
/// Returns an error if the API server cannot be found or reached, does not have the API, or
/// refuses.
pub async fn published(
    options: &ClusterOptions,
    api: Api,
    each: &mut dyn FnMut(Value),
) -> Result<(), ClusterError> {
    let client = ApiClient::new(access(options).await?, options).await?;
    let resource = Resource::policy_reports(api);
    let mut page = ListParams::default().labels(&format!("{MANAGED_BY}={SOURCE}"));
    page.limit = Some(PAGE_OBJECTS);
    for _ in 0..MAX_PAGES {
        let request = kube::core::Request::new(resource.path(None)).list(&page);
        let body = client
            .request(VERB, &resource, request)
            .await
            .map_err(|error| with_help(error, api))?;
        let read: ReportPage = bounded_json::read(&body, bounded_json::VALUE)
            .map_err(|error| client.not_a_list(&resource, error))?;
        read.items.into_iter().for_each(&mut *each);
        page.continue_token = read.metadata.next.filter(|next| !next.is_empty());
        if page.continue_token.is_none() {
            return Ok(());
        }
    }
    let message = format!("the list of {} has no end after {MAX_PAGES} pages", resource.name());
    Err(ClusterError::new(SkipKind::Limit, message))
}

/// Adds what policy reports need in addition to the client itself.
fn with_help(error: ClusterError, api: Api) -> ClusterError {
    let group = api.names().group;
    if error.kind == SkipKind::NotFound {
        return error.with_help(format!(
            "install the custom resources of {group}; `kubectl api-resources --api-group={group}` shows whether they are there"
        ));
    }
    if error.kind == SkipKind::Permission && !error.is_final {
        return error.with_help(format!(
            "permit it in a ClusterRole, as the chart does with `policyReports`: `create` and `{WRITING_VERB}` to write reports, `{VERB}` to merge them"
        ));
    }
    error
}

//! Work that something else may end.

/// Returns the output of the work, or `None` if `stop` completes first.
pub(crate) async fn first<T>(
    work: impl Future<Output = T>,
    stop: impl Future<Output = ()>,
) -> Option<T> {
    let stopped = async {
        stop.await;
        None
    };
    nri::__private::first(async { Some(work.await) }, stopped).await
}

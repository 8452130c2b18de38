//! An NRI plugin that sets the variable that an annotation of the pod asks for.

use nri::prelude::*;

struct Greeter;

#[nri::plugin(name = "{{project-name}}", index = "10")]
impl Greeter {
    async fn create_container(
        &self,
        pod: PodSandbox,
        _container: Container,
    ) -> nri::Result<Adjustment> {
        match pod.annotation("example.org/greet") {
            Some("") => Err(nri::Error::new("example.org/greet is empty")),
            Some(name) => Ok(Adjustment::new().env("GREETING", format!("hello {name}"))),
            None => Ok(Adjustment::new()),
        }
    }
}

fn main() -> nri::Result<()> {
    nri::cli::run("An NRI plugin that greets containers.", Greeter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nri_testing::{self as testing, pod};

    #[tokio::test]
    async fn an_annotation_of_the_pod_sets_the_greeting() {
        let mut runtime = testing::Runtime::new().start(Greeter).await.unwrap();
        let app = pod("web")
            .annotation("example.org/greet", "web")
            .container("app");
        let created = runtime.create_in_pod(app).await.unwrap();
        assert_eq!(created.env_var("GREETING"), Some("hello web"));
    }

    #[tokio::test]
    async fn an_old_containerd_greets_too() {
        let old = testing::Runtime::containerd("1.7.20");
        let mut runtime = old.start(Greeter).await.unwrap();
        let app = pod("web")
            .annotation("example.org/greet", "web")
            .container("app");
        let created = runtime.create_in_pod(app).await.unwrap();
        assert_eq!(created.env_var("GREETING"), Some("hello web"));
    }

    #[tokio::test]
    async fn an_empty_annotation_fails_the_container() {
        let mut runtime = testing::Runtime::new().start(Greeter).await.unwrap();
        let app = pod("web")
            .annotation("example.org/greet", "")
            .container("app");
        let error = runtime.create_in_pod(app).await.unwrap_err();
        assert!(error.fails_request());
    }
}

//! Sets an environment variable to the name of the pod in each container. The configuration is the
//! name of the variable; without one, it is `POD_NAME`.
//!
//! The same file builds as a program and as a WebAssembly module:
//!
//! ```text
//! cargo build --release
//! cargo build --release --target wasm32-unknown-unknown
//! ```

use std::sync::OnceLock;

use nri::prelude::*;

#[derive(Default)]
struct PodName {
    variable: OnceLock<String>,
}

#[nri::plugin(name = "pod-name", index = "10")]
impl PodName {
    async fn configure(&self, config: Config) -> nri::Result<Subscription> {
        let variable = match config.text().trim() {
            "" => "POD_NAME",
            text if text.contains(['=', '\n']) => {
                return Err(format!("{text:?} is not the name of a variable").into());
            }
            name => name,
        };
        tracing::info!("sets {variable} in each container");
        // A runtime that restarts may configure the plugin again; the first configuration stays.
        self.variable.get_or_init(|| variable.to_owned());
        Ok(Subscription::Handled)
    }

    async fn create_container(
        &self,
        pod: PodSandbox,
        _container: Container,
    ) -> nri::Result<Adjustment> {
        let variable = self.variable.get().map_or("POD_NAME", String::as_str);
        Ok(Adjustment::new().env(variable, pod.name))
    }
}

// The one line that a module needs.
nri::wasm_plugin!(PodName::default());

fn main() -> nri::Result<()> {
    nri::run(PodName::default())
}

#[cfg(test)]
mod tests {
    use nri_testing::{Runtime, pod};

    use super::*;

    #[tokio::test]
    async fn containers_get_the_name_of_their_pod() {
        let mut runtime = Runtime::new().start(PodName::default()).await.unwrap();
        let created = runtime.create_in_pod(pod("web").container("app")).await.unwrap();
        assert_eq!(created.env_var("POD_NAME"), Some("web"));
    }

    #[tokio::test]
    async fn the_configuration_names_the_variable() {
        let settings = Runtime::new().config("MY_POD\n");
        let mut runtime = settings.start(PodName::default()).await.unwrap();
        let created = runtime.create_in_pod(pod("web").container("app")).await.unwrap();
        assert_eq!(created.env_var("MY_POD"), Some("web"));
        assert_eq!(created.env_var("POD_NAME"), None);
    }

    #[tokio::test]
    async fn a_name_that_is_none_is_refused() {
        let settings = Runtime::new().config("A=B");
        assert!(settings.start(PodName::default()).await.is_err());
    }
}

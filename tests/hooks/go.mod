module nri-tests/hooks

go 1.24.0

require (
	github.com/containers/common v0.62.0
	github.com/opencontainers/runtime-spec v1.2.1
)

require (
	github.com/containers/storage v1.57.1 // indirect
	github.com/fsnotify/fsnotify v1.8.0 // indirect
	github.com/sirupsen/logrus v1.9.3 // indirect
	golang.org/x/sys v0.29.0 // indirect
)

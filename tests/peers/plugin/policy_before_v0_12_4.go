//go:build nri_before_v0_12_4

package main

import "github.com/containerd/nri/pkg/stub"

// failurePolicy is nothing yet: the protocol does not know it.
func failurePolicy(*settings) []stub.Option { return nil }

//go:build !nri_before_v0_12_4

package main

import (
	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
)

func failurePolicy(s *settings) []stub.Option {
	if !s.failRequest && !s.keepConnected {
		return nil
	}
	return []stub.Option{stub.WithFailurePolicy(&api.FailurePolicy{
		FailRequest:   s.failRequest,
		KeepConnected: s.keepConnected,
	})}
}

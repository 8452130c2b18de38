package main

import (
	"testing"

	"nri-tests/peers/specimens/internal/run"
)

func TestPlugin(t *testing.T) {
	if testing.Short() {
		run.Plugin(&plugin{})
	}
}

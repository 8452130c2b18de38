package main

import (
	"fmt"
	"runtime"

	"github.com/containerd/nri/pkg/api"
	"google.golang.org/protobuf/proto"
)

// emptyMessages decodes the largest message that the protocol allows, 4 MiB, which is a list of empty messages of two bytes each.
func emptyMessages() error {
	const limit = 4 << 20
	for _, one := range []struct {
		name  string
		field byte
		into  proto.Message
	}{
		{"SynchronizeRequest.pods", 1, &api.SynchronizeRequest{}},
		{"SynchronizeRequest.containers", 2, &api.SynchronizeRequest{}},
		{"UpdateContainersRequest.update", 1, &api.UpdateContainersRequest{}},
	} {
		encoded := make([]byte, limit)
		for i := 0; i < limit; i += 2 {
			encoded[i] = one.field<<3 | 2
		}
		before := heap()
		if err := proto.Unmarshal(encoded, one.into); err != nil {
			return err
		}
		used := (heap() - before) >> 20
		fmt.Printf("  %s: %d empty messages in %d MiB take %d MiB\n", one.name, limit/2, limit>>20, used)
		if used < 100 {
			return fmt.Errorf("%d MiB", used)
		}
		runtime.KeepAlive(one.into)
	}
	return nil
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

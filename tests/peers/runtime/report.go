package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// figures are the latency of one thing measured, in microseconds.
type figures struct {
	P50   float64 `json:"p50_us"`
	P99   float64 `json:"p99_us"`
	Calls int     `json:"calls"`
}

func summarize(times []time.Duration) figures {
	sorted := slices.Sorted(slices.Values(times))
	at := func(share float64) float64 {
		return float64(sorted[int(share*float64(len(sorted)-1))].Nanoseconds()) / 1000
	}
	return figures{P50: at(0.50), P99: at(0.99), Calls: len(times)}
}

// report puts the figures of all plugins into one object, with the ratio of
// every other plugin to the first.
func report(peers []*benchPeer) object {
	all, ratios := object{}, object{}
	for i, peer := range peers {
		all[peer.name] = peer.report()
		if i > 0 {
			ratios[peer.name+"/"+peers[0].name] = peer.compare(peers[0])
		}
	}
	return object{"peers": all, "ratios": ratios}
}

func (b *benchPeer) report() object {
	events, sizes, memory := object{}, object{}, object{}
	for event, times := range b.latency {
		events[event] = summarize(times)
	}
	for size, times := range b.bySize {
		sizes[strconv.Itoa(size)] = summarize(times)
	}
	for sent, kib := range b.memory {
		memory[strconv.Itoa(sent)] = kib
	}
	return object{
		"events": events, "sizes": sizes,
		"rss_kib_after": memory, "binary_bytes": binarySize(b.command[0]),
	}
}

func (b *benchPeer) compare(base *benchPeer) object {
	ratios := object{}
	add := func(name string, mine, theirs []time.Duration) {
		m, t := summarize(mine), summarize(theirs)
		ratios[name] = object{"p50": m.P50 / t.P50, "p99": m.P99 / t.P99}
	}
	for event := range b.latency {
		add(event, b.latency[event], base.latency[event])
	}
	for size := range b.bySize {
		add(fmt.Sprintf("CreateContainer of %d bytes", size), b.bySize[size], base.bySize[size])
	}
	return ratios
}

func binarySize(command string) int64 {
	path, err := exec.LookPath(command)
	exitOn(err)
	info, err := os.Stat(path)
	exitOn(err)
	return info.Size()
}

// connections is the logger of a bench: it passes on which plugin connected.
type connections chan string

var benchLog = make(connections, 16)

func (connections) Debugf(context.Context, string, ...any) {}
func (connections) Warnf(context.Context, string, ...any)  {}
func (connections) Errorf(_ context.Context, format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
func (c connections) Infof(_ context.Context, format string, args ...any) {
	if strings.HasPrefix(format, "plugin %q connected") {
		c <- fmt.Sprint(args...)
	}
}

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// printTable prints the figures of all plugins side by side, for people; in
// brackets is the ratio to the first.
func printTable(out io.Writer, p *plan, peers []*benchPeer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, cell func(*benchPeer) string) {
		fmt.Fprint(table, name)
		for _, peer := range peers {
			fmt.Fprint(table, "\t", cell(peer))
		}
		fmt.Fprintln(table)
	}
	row("", func(b *benchPeer) string { return b.name })
	for _, event := range p.events {
		row(event+", p50/p99 us", latencyCell(peers[0], func(b *benchPeer) []time.Duration { return b.latency[event] }))
	}
	for _, size := range p.sizes {
		row(fmt.Sprintf("CreateContainer of %d bytes, p50/p99 us", size),
			latencyCell(peers[0], func(b *benchPeer) []time.Duration { return b.bySize[size] }))
	}
	for _, events := range slices.Concat([]int{0}, p.memory) {
		row(fmt.Sprintf("resident after %d events, KiB", events), func(b *benchPeer) string {
			return fmt.Sprintf("%d (%.2f)", b.memory[events], float64(b.memory[events])/float64(peers[0].memory[events]))
		})
	}
	row("binary, KiB", func(b *benchPeer) string {
		size, base := binarySize(b.command[0]), binarySize(peers[0].command[0])
		return fmt.Sprintf("%d (%.2f)", size/1024, float64(size)/float64(base))
	})
	return table.Flush()
}

func latencyCell(base *benchPeer, times func(*benchPeer) []time.Duration) func(*benchPeer) string {
	return func(b *benchPeer) string {
		mine, theirs := summarize(times(b)), summarize(times(base))
		return fmt.Sprintf("%.0f/%.0f (%.2f/%.2f)", mine.P50, mine.P99, mine.P50/theirs.P50, mine.P99/theirs.P99)
	}
}

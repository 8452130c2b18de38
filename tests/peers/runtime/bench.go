package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	nrilog "github.com/containerd/nri/pkg/log"
)

// plan is what bench measures, on every plugin alike.
type plan struct {
	events []string
	calls  int
	warmup int
	rounds int
	sizes  []int
	memory []int
}

// bench measures plugins against each other. Every argument NAME=COMMAND is a
// plugin, started as an external one of a runtime of its own; rounds of calls
// take turns between them, so that whatever else the machine does hits all.
func bench(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	p := plan{}
	events := flags.String("events", "PostStartContainer,CreateContainer", "events to measure")
	sizes := flags.String("sizes", "", "request sizes to measure CreateContainer with, in bytes")
	memory := flags.String("memory", "", "numbers of events after which to read the resident memory")
	flags.IntVar(&p.calls, "calls", 500, "calls in a round")
	flags.IntVar(&p.rounds, "rounds", 10, "rounds for each event and plugin")
	flags.IntVar(&p.warmup, "warmup", 500, "calls before the first round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	p.events = strings.Split(*events, ",")
	if p.sizes, err = numbers(*sizes); err != nil {
		return err
	}
	if p.memory, err = numbers(*memory); err != nil {
		return err
	}
	return p.run(flags.Args())
}

func numbers(list string) ([]int, error) {
	var all []int
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func (p *plan) run(specs []string) error {
	nrilog.Set(benchLog)
	folder, err := os.MkdirTemp("", "nri-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if len(specs) == 0 {
		return errors.New("no NAME=COMMAND to measure")
	}
	var peers []*benchPeer
	defer func() {
		for _, peer := range peers {
			peer.end()
		}
	}()
	for _, spec := range specs {
		peer, err := startPeer(folder, spec)
		if err != nil {
			return err
		}
		peers = append(peers, peer)
	}
	if err := p.measure(peers); err != nil {
		return err
	}
	emit(report(peers))
	return printTable(os.Stderr, p, peers)
}

func (p *plan) measure(peers []*benchPeer) error {
	for _, peer := range peers {
		peer.recordMemory(0)
	}
	if err := p.measureEvents(peers); err != nil {
		return err
	}
	if err := p.measureSizes(peers); err != nil {
		return err
	}
	for _, peer := range peers {
		if err := p.measureMemory(peer); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) measureEvents(peers []*benchPeer) error {
	for _, event := range p.events {
		for _, peer := range peers {
			if _, err := peer.calls(event, 0, p.warmup); err != nil {
				return err
			}
		}
		for range p.rounds {
			for _, peer := range peers {
				times, err := peer.calls(event, 0, p.calls)
				if err != nil {
					return err
				}
				peer.latency[event] = append(peer.latency[event], times...)
			}
		}
	}
	return nil
}

// sizeRounds and sizeCalls are the measure for every size.
const (
	sizeRounds = 5
	sizeCalls  = 40
)

func (p *plan) measureSizes(peers []*benchPeer) error {
	for _, size := range p.sizes {
		for range sizeRounds {
			for _, peer := range peers {
				times, err := peer.calls("CreateContainer", size, sizeCalls)
				if err != nil {
					return err
				}
				peer.bySize[size] = append(peer.bySize[size], times...)
			}
		}
	}
	return nil
}

// measureMemory counts every event sent since the plugin was started for this.
func (p *plan) measureMemory(peer *benchPeer) error {
	if len(p.memory) == 0 {
		return nil
	}
	if err := peer.restart(); err != nil {
		return err
	}
	sent := 0
	for _, goal := range p.memory {
		if _, err := peer.calls("PostStartContainer", 0, goal-sent); err != nil {
			return err
		}
		sent = goal
		peer.recordMemory(sent)
	}
	return nil
}

// benchPeer is a plugin under test and the runtime it is connected to.
type benchPeer struct {
	name    string
	command []string
	socket  string
	session *session
	process *exec.Cmd
	stderr  bytes.Buffer
	latency map[string][]time.Duration
	bySize  map[int][]time.Duration
	memory  map[int]int
}

func startPeer(folder, spec string) (*benchPeer, error) {
	name, command, ok := strings.Cut(spec, "=")
	if !ok || len(strings.Fields(command)) == 0 {
		return nil, fmt.Errorf("%q is not NAME=COMMAND", spec)
	}
	peer := &benchPeer{
		name:    name,
		command: strings.Fields(command),
		socket:  filepath.Join(folder, name+".sock"),
		latency: map[string][]time.Duration{},
		bySize:  map[int][]time.Duration{},
		memory:  map[int]int{},
	}
	return peer, peer.start()
}

func (b *benchPeer) start() error {
	b.session = newSession(settings{
		socket: b.socket, plugins: "/nonexistent", config: "/nonexistent",
		name: "bench", version: "v1.0.0", quiet: true,
	})
	if err := b.session.start(); err != nil {
		return err
	}
	args := append(b.command[1:len(b.command):len(b.command)],
		"--socket", b.socket, "--name", b.name, "--index", "10")
	b.process = exec.Command(b.command[0], args...)
	b.stderr.Reset()
	b.process.Stdout, b.process.Stderr = io.Discard, &b.stderr
	if err := b.process.Start(); err != nil {
		return err
	}
	return b.awaitConnection()
}

func (b *benchPeer) awaitConnection() error {
	select {
	case name := <-benchLog:
		if name != "10-"+b.name {
			return fmt.Errorf("%s registered instead of 10-%s", name, b.name)
		}
		return nil
	case <-time.After(10 * time.Second):
		b.end()
		return fmt.Errorf("%s did not register within 10 s\n%s", b.name, b.stderr.String())
	}
}

func (b *benchPeer) end() {
	b.session.stop()
	if b.process.Process != nil {
		_ = b.process.Process.Kill()
		_ = b.process.Wait()
	}
}

func (b *benchPeer) restart() error {
	b.end()
	if err := b.start(); err != nil {
		return err
	}
	b.recordMemory(0)
	return nil
}

var errNotCalled = errors.New("the plugin did not get the calls that were measured")

// bareRequest leaves room for padding in the smallest size.
var bareRequest = json.RawMessage(`{"pod": {"id": "sandbox-0"}, "container": {"id": "container-0",
	"hooks": {}, "linux": {"resources": {"memory": {}, "cpu": {}}}}}`)

// calls relays an event n times and tells how long each took.
func (b *benchPeer) calls(event string, frame, n int) ([]time.Duration, error) {
	r, err := relayOf(b.session.runtime, event)
	if err != nil {
		return nil, err
	}
	c := &command{Frame: frame}
	if frame > 0 {
		c.Request = bareRequest
	}
	request, err := r.build(c)
	if err != nil {
		return nil, err
	}
	before := b.session.served.Load()
	times := make([]time.Duration, 0, n)
	for range n {
		start := time.Now()
		if _, err := r.call(context.Background(), request); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	if b.session.served.Load()-before != int64(n) {
		return nil, fmt.Errorf("%s, %s: %w", b.name, event, errNotCalled)
	}
	return times, nil
}

func (b *benchPeer) recordMemory(events int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.process.Process.Pid))
	exitOn(err)
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			exitOn(err)
			b.memory[events] = kib
		}
	}
}

// Command plugin is a plugin on the stub of whatever NRI release it is built
// with: it logs every event as a JSON line and, where an annotation of the pod
// asks for it, misbehaves or answers at length.
//
// Launched by a runtime it has no arguments; its drop-in configuration is read
// as if it were the command line.
//
// Annotations it obeys, for the event in peer/on or for every event:
// peer/sleep-ms, peer/error (text), peer/exit (code), peer/adjust-bytes (length
// of an annotation in the answer to CreateContainer), peer/update (container
// to update in the answer), peer/unsolicited (container to update in a call of
// its own, after PostStartContainer).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
)

// settings are what arguments or configuration say.
type settings struct {
	socket, name, index, events string
	failRequest, keepConnected  bool
	quiet                       bool
	annotate                    int
	lifetime                    time.Duration
}

func (s *settings) parse(args []string) error {
	flags := flag.NewFlagSet("plugin", flag.ContinueOnError)
	flags.StringVar(&s.socket, "socket", "", "socket of the runtime")
	flags.StringVar(&s.name, "name", "", "name to register with")
	flags.StringVar(&s.index, "index", "", "index to register with, two digits")
	flags.StringVar(&s.events, "events", "all", "events to subscribe to, separated by commas")
	flags.BoolVar(&s.quiet, "quiet", false, "log nothing")
	flags.IntVar(&s.annotate, "annotate", 0, "annotations to add to every container created")
	flags.BoolVar(&s.failRequest, "fail-request", false, "failure policy: fail the request")
	flags.BoolVar(&s.keepConnected, "keep-connected", false, "failure policy: keep the plugin")
	flags.DurationVar(&s.lifetime, "lifetime", 10*time.Minute, "end after this time whatever happens")
	return flags.Parse(args)
}

func (s *settings) options() []stub.Option {
	options := failurePolicy(s)
	if s.socket != "" {
		options = append(options, stub.WithSocketPath(s.socket))
	}
	if s.name != "" {
		options = append(options, stub.WithPluginName(s.name))
	}
	if s.index != "" {
		options = append(options, stub.WithPluginIdx(s.index))
	}
	return options
}

func main() {
	p := &plugin{}
	err := p.parse(os.Args[1:])
	if err == nil {
		time.AfterFunc(p.lifetime, func() { os.Exit(1) })
		err = p.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func (p *plugin) run() error {
	s, err := stub.New(p, p.options()...)
	if err != nil {
		return err
	}
	p.stub = s
	return s.Run(context.Background())
}

// Configure takes the configuration as arguments and subscribes.
func (p *plugin) Configure(_ context.Context, config, runtime, version string) (stub.EventMask, error) {
	if config != "" {
		if err := p.parse(strings.Fields(config)); err != nil {
			return 0, err
		}
	}
	p.print(line{"event": "Configure", "runtime": runtime, "version": version})
	if p.events == "all" {
		return 0, nil
	}
	return api.ParseEventMask(p.events)
}

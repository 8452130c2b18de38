package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	nrilog "github.com/containerd/nri/pkg/log"
	"github.com/containerd/ttrpc"
)

type settings struct {
	socket, plugins, config, name, version string
	// quiet counts calls instead of printing them, which costs time.
	quiet bool
}

// session is one run of the runtime, through any number of starts and stops.
type session struct {
	settings
	runtime *adaptation.Adaptation
	state   state
	// refuse is the error that unsolicited updates are answered with, if any.
	refuse string
	// served counts the calls that plugins answered.
	served atomic.Int64
}

// command is a line of standard input. Fields are those of all commands.
type command struct {
	ID int    `json:"id"`
	Do string `json:"do"`

	// fire, lifecycle
	Event       string            `json:"event"`
	Request     json.RawMessage   `json:"request"`
	Annotations map[string]string `json:"annotations"`
	Frame       int               `json:"frame"`
	Count       int               `json:"count"`
	TimeoutMs   int64             `json:"timeout_ms"`

	// state
	Pods       int `json:"pods"`
	Containers int `json:"containers"`
	Pad        int `json:"pad"`

	// timeouts
	RequestMs      int64 `json:"request_ms"`
	RegistrationMs int64 `json:"registration_ms"`

	// refuse-updates
	Error string `json:"error"`
}

func newSession(s settings) *session {
	if !s.quiet {
		nrilog.Set(logger{})
	}
	return &session{settings: s, state: newState(0, 0, 0)}
}

func (s *session) run(input io.Reader) error {
	defer s.stop()
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fmt.Errorf("cannot read command: %w", err)
		}
		answer, err := s.execute(&c)
		if answer == nil {
			answer = object{}
		}
		answer["id"], answer["ok"] = c.ID, err == nil
		if err != nil {
			answer["error"] = err.Error()
		}
		emit(answer)
	}
	return lines.Err()
}

func (s *session) execute(c *command) (object, error) {
	switch c.Do {
	case "start":
		return nil, s.start()
	case "stop":
		s.stop()
		return nil, nil
	case "state":
		s.state = newState(c.Pods, c.Containers, c.Pad)
		return nil, nil
	case "timeouts":
		setTimeouts(c)
		return nil, nil
	case "refuse-updates":
		s.refuse = c.Error
		return nil, nil
	}
	if s.runtime == nil {
		return nil, fmt.Errorf("%q needs a started runtime", c.Do)
	}
	switch c.Do {
	case "fire":
		return s.fire(c)
	case "lifecycle":
		return s.lifecycle(c)
	}
	return nil, fmt.Errorf("unknown command %q", c.Do)
}

func setTimeouts(c *command) {
	if c.RequestMs > 0 {
		adaptation.SetPluginRequestTimeout(time.Duration(c.RequestMs) * time.Millisecond)
	}
	if c.RegistrationMs > 0 {
		adaptation.SetPluginRegistrationTimeout(time.Duration(c.RegistrationMs) * time.Millisecond)
	}
}

func (s *session) start() error {
	options := []adaptation.Option{
		adaptation.WithSocketPath(s.socket),
		adaptation.WithPluginPath(s.plugins),
		adaptation.WithPluginConfigPath(s.config),
	}
	options = append(options, s.interceptors())
	runtime, err := adaptation.New(s.name, s.version, s.synchronize, s.update, options...)
	if err != nil {
		return err
	}
	s.runtime = runtime
	return runtime.Start()
}

func (s *session) interceptors() adaptation.Option {
	if s.quiet {
		return adaptation.WithTTRPCOptions(
			[]ttrpc.ClientOpts{ttrpc.WithUnaryClientInterceptor(s.countCall)}, nil)
	}
	return adaptation.WithTTRPCOptions(
		[]ttrpc.ClientOpts{ttrpc.WithUnaryClientInterceptor(recordCall)},
		[]ttrpc.ServerOpt{ttrpc.WithUnaryServerInterceptor(recordRequest)})
}

func (s *session) stop() {
	if s.runtime != nil {
		s.runtime.Stop()
		s.runtime = nil
	}
}

func (s *session) synchronize(ctx context.Context, plugins adaptation.SyncCB) error {
	updates, err := plugins(ctx, s.state.pods, s.state.containers)
	line := object{"event": "synchronized", "update": protoList(updates)}
	if err != nil {
		line["error"] = err.Error()
	}
	if !s.quiet {
		emit(line)
	}
	return err
}

// update answers an unsolicited update. Updates for an id that starts with
// "unknown" fail, so that a plugin can be tested for what it makes of that.
func (s *session) update(_ context.Context, updates []*adaptation.ContainerUpdate) ([]*adaptation.ContainerUpdate, error) {
	if s.refuse != "" {
		return nil, fmt.Errorf("%s", s.refuse)
	}
	var failed []*adaptation.ContainerUpdate
	for _, u := range updates {
		if strings.HasPrefix(u.ContainerId, "unknown") {
			failed = append(failed, u)
		}
	}
	return failed, nil
}

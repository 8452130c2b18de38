// Merge has the reference adaptation merge the answers of several plugins, to hold the Rust adaptation against.
//
// Each line of input is a case in JSON, each line of output its result. Messages are encoded protobuf in hexadecimal.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/adaptation/builtin"
	"github.com/containerd/nri/pkg/api"
	validator "github.com/containerd/nri/plugins/default-validator"
	"google.golang.org/protobuf/proto"
)

// maxPlugins is the number of plugins that the adaptation runs; those without an answer in a case answer nothing.
const maxPlugins = 20

// testCase is a request and the answers to it. Exactly one of Create, Update, Stop and Validate is set.
type testCase struct {
	// Create is a CreateContainerRequest, the answers are CreateContainerResponses.
	Create message
	// Update is an UpdateContainerRequest, the answers are UpdateContainerResponses.
	Update message
	// Stop is a StopContainerRequest, the answers are StopContainerResponses.
	Stop message
	// Validate is a ValidateContainerAdjustmentRequest for the default validator.
	Validate message
	// Config is the configuration of that validator.
	Config validator.DefaultValidatorConfig
	// Answers of the plugins 00-p0, 01-p1 and so on.
	Answers []message
	// Repeat measures the request instead: it runs this often, and nobody notes what plugins see.
	Repeat int
}

// message is an encoded message, in hexadecimal in JSON.
type message []byte

func (m message) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, m), nil
}

func (m *message) UnmarshalText(text []byte) error {
	decoded, err := hex.DecodeString(string(text))
	*m = append(message{}, decoded...)
	return err
}

// outcome is the result of a case.
type outcome struct {
	// Error is empty if the request succeeded.
	Error string `json:"error"`
	// Response is the merged answer.
	Response message `json:"response,omitempty"`
	// Seen holds the request as each plugin saw it.
	Seen []message `json:"seen,omitempty"`
	// Validated is what a validator gets, without pod, container and plugins.
	Validated message `json:"validated,omitempty"`
	// Nanos is how long a measured request took on average.
	Nanos int64 `json:"nanos,omitempty"`
}

type peer struct {
	runtime *adaptation.Adaptation
	current testCase
	result  outcome
}

func main() {
	p := &peer{}
	if err := p.start(); err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		p.current, p.result = testCase{}, outcome{}
		if err := json.Unmarshal(lines.Bytes(), &p.current); err != nil {
			log.Fatal(err)
		}
		if err := p.runOrMeasure(context.Background()); err != nil {
			p.result.Error = err.Error()
		}
		if err := output.Encode(p.result); err != nil {
			log.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

func (p *peer) start() error {
	var plugins []*builtin.BuiltinPlugin
	for n := range maxPlugins {
		plugins = append(plugins, p.plugin(n))
	}
	plugins = append(plugins, p.observer())
	synchronize := func(ctx context.Context, call adaptation.SyncCB) error {
		_, err := call(ctx, nil, nil)
		return err
	}
	update := func(context.Context, []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
		return nil, errors.New("no plugin asks for this")
	}
	nowhere, err := os.MkdirTemp("", "merge")
	if err != nil {
		return err
	}
	defer os.RemoveAll(nowhere)
	p.runtime, err = adaptation.New("merge", "v1", synchronize, update,
		adaptation.WithBuiltinPlugins(plugins...),
		adaptation.WithPluginPath(nowhere),
		adaptation.WithPluginConfigPath(nowhere),
		adaptation.WithDisabledExternalConnections())
	if err != nil {
		return err
	}
	return p.runtime.Start()
}

// plugin returns the plugin that gives the answer of this number.
func (p *peer) plugin(n int) *builtin.BuiltinPlugin {
	return &builtin.BuiltinPlugin{
		Base:  fmt.Sprintf("p%d", n),
		Index: fmt.Sprintf("%02d", n),
		Handlers: builtin.BuiltinHandlers{
			CreateContainer: func(_ context.Context, request *api.CreateContainerRequest) (*api.CreateContainerResponse, error) {
				return answer(p, n, request, &api.CreateContainerResponse{})
			},
			UpdateContainer: func(_ context.Context, request *api.UpdateContainerRequest) (*api.UpdateContainerResponse, error) {
				return answer(p, n, request, &api.UpdateContainerResponse{})
			},
			StopContainer: func(_ context.Context, request *api.StopContainerRequest) (*api.StopContainerResponse, error) {
				return answer(p, n, request, &api.StopContainerResponse{})
			},
		},
	}
}

// answer notes what the plugin of this number sees and decodes its answer into response.
func answer[R proto.Message](p *peer, n int, request proto.Message, response R) (R, error) {
	if n >= len(p.current.Answers) {
		return response, nil
	}
	if p.current.Repeat == 0 {
		seen, err := proto.Marshal(request)
		if err != nil {
			return response, err
		}
		p.result.Seen = append(p.result.Seen, seen)
	}
	return response, proto.Unmarshal(p.current.Answers[n], response)
}

// observer returns a validator that accepts everything and notes what it gets.
func (p *peer) observer() *builtin.BuiltinPlugin {
	return &builtin.BuiltinPlugin{
		Base:  "observer",
		Index: "99",
		Handlers: builtin.BuiltinHandlers{
			ValidateContainerAdjustment: func(_ context.Context, request *api.ValidateContainerAdjustmentRequest) error {
				if p.current.Repeat > 0 {
					return nil
				}
				var err error
				request.Pod, request.Container, request.Plugins = nil, nil, nil
				p.result.Validated, err = proto.Marshal(request)
				return err
			},
		},
	}
}

func (p *peer) runOrMeasure(ctx context.Context) error {
	if p.current.Repeat == 0 {
		return p.run(ctx)
	}
	start := time.Now()
	for range p.current.Repeat {
		if err := p.run(ctx); err != nil {
			return err
		}
	}
	p.result.Nanos = time.Since(start).Nanoseconds() / int64(p.current.Repeat)
	return nil
}

func (p *peer) run(ctx context.Context) error {
	switch c := p.current; {
	case c.Create != nil:
		request := &api.CreateContainerRequest{}
		if err := proto.Unmarshal(c.Create, request); err != nil {
			return err
		}
		return p.answered(p.runtime.CreateContainer(ctx, request))
	case c.Update != nil:
		request := &api.UpdateContainerRequest{}
		if err := proto.Unmarshal(c.Update, request); err != nil {
			return err
		}
		response, err := p.runtime.UpdateContainer(ctx, request)
		if err == nil && response.Update[len(response.Update)-1] == nil {
			// No plugin updates the container of the request: the reference appends nil.
			response.Update = response.Update[:len(response.Update)-1]
		}
		return p.answered(response, err)
	case c.Stop != nil:
		request := &api.StopContainerRequest{}
		if err := proto.Unmarshal(c.Stop, request); err != nil {
			return err
		}
		return p.answered(p.runtime.StopContainer(ctx, request))
	default:
		request := &api.ValidateContainerAdjustmentRequest{}
		if err := proto.Unmarshal(c.Validate, request); err != nil {
			return err
		}
		return validator.NewDefaultValidator(&c.Config).ValidateContainerAdjustment(ctx, request)
	}
}

func (p *peer) answered(response proto.Message, err error) error {
	if err != nil {
		return err
	}
	p.result.Response, err = proto.Marshal(response)
	return err
}

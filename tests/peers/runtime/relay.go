package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	nrilog "github.com/containerd/nri/pkg/log"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// maxWait is how long plugins have to connect.
const maxWait = time.Minute

// relayPlan is what relay measures: the round trips of one event to all
// plugins, and Synchronize if there are pods.
type relayPlan struct {
	socket, event             string
	wait, count, labels, pods int
	state                     state
	answered                  atomic.Int64
	synchronized              time.Duration
	before                    int
}

// relayEvents does what `runtime --event` of the Rust examples does, and
// prints the same lines.
func relayEvents(args []string) error {
	p := &relayPlan{}
	flags := flag.NewFlagSet("relay", flag.ContinueOnError)
	flags.StringVar(&p.socket, "socket", "", "unix socket for external plugins")
	flags.StringVar(&p.event, "event", "PostStartContainer", "event to relay")
	flags.IntVar(&p.wait, "wait", 1, "plugins to wait for")
	flags.IntVar(&p.count, "count", 1000, "how often to relay the event")
	flags.IntVar(&p.labels, "labels", 0, "labels and annotations of pods and containers")
	flags.IntVar(&p.pods, "pods", 0, "pods, with two containers each, to synchronize plugins with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p.prepare()
	runtime, err := p.start()
	if err != nil {
		return err
	}
	defer runtime.Stop()
	return p.measure(runtime)
}

func (p *relayPlan) prepare() {
	for i := range p.pods {
		p.state.pods = append(p.state.pods, p.pod(i))
		p.state.containers = append(p.state.containers, p.container(2*i, i), p.container(2*i+1, i))
	}
	p.before = residentKiB("VmRSS")
}

func (p *relayPlan) start() (*adaptation.Adaptation, error) {
	nrilog.Set(silent{})
	// All parts of a Synchronize have to arrive within this time.
	adaptation.SetPluginRequestTimeout(maxWait)
	runtime, err := adaptation.New("bench", "v1.0.0", p.synchronize, noUpdates,
		adaptation.WithSocketPath(p.socket),
		adaptation.WithPluginPath("/nonexistent"),
		adaptation.WithPluginConfigPath("/nonexistent"),
		adaptation.WithTTRPCOptions([]ttrpc.ClientOpts{ttrpc.WithUnaryClientInterceptor(p.countAnswer)}, nil))
	if err != nil {
		return nil, err
	}
	return runtime, runtime.Start()
}

func (p *relayPlan) synchronize(ctx context.Context, plugin adaptation.SyncCB) error {
	start := time.Now()
	_, err := plugin(ctx, p.state.pods, p.state.containers)
	p.synchronized = time.Since(start)
	return err
}

func noUpdates(context.Context, []*adaptation.ContainerUpdate) ([]*adaptation.ContainerUpdate, error) {
	return nil, nil
}

func (p *relayPlan) countAnswer(ctx context.Context, req *ttrpc.Request, resp *ttrpc.Response, _ *ttrpc.UnaryClientInfo, next ttrpc.Invoker) error {
	err := next(ctx, req, resp)
	handshake := req.Method == "Configure" || req.Method == "Synchronize"
	if err == nil && !handshake && outcome(resp, nil) == codes.OK {
		p.answered.Add(1)
	}
	return err
}

func (p *relayPlan) measure(runtime *adaptation.Adaptation) error {
	r, err := relayOf(runtime, p.event)
	if err != nil {
		return err
	}
	requests, err := p.requests(r)
	if err != nil {
		return err
	}
	if err := p.awaitPlugins(r, requests[0]); err != nil {
		return err
	}
	if p.pods > 0 {
		p.printSynchronize()
	}
	start, answered := time.Now(), p.answered.Load()
	times := make([]time.Duration, 0, p.count)
	for i := range p.count {
		sent := time.Now()
		if _, err := r.call(context.Background(), requests[i%len(requests)]); err != nil {
			return err
		}
		times = append(times, time.Since(sent))
	}
	total := time.Since(start)
	if p.answered.Load()-answered != int64(p.count*p.wait) {
		return fmt.Errorf("%s: %w", p.event, errNotCalled)
	}
	f := summarize(times)
	fmt.Printf("%s n=%d events/s=%.0f p50=%.1fus p99=%.1fus\n",
		p.event, p.count, float64(p.count)/total.Seconds(), f.P50, f.P99)
	return nil
}

// awaitPlugins relays the event until as many plugins as wanted answer it.
func (p *relayPlan) awaitPlugins(r relay, request proto.Message) error {
	for deadline := time.Now().Add(maxWait); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		before := p.answered.Load()
		if _, err := r.call(context.Background(), request); err != nil {
			return err
		}
		if p.answered.Load()-before >= int64(p.wait) {
			return nil
		}
	}
	return fmt.Errorf("fewer than %d plugins connected within %s", p.wait, maxWait)
}

func (p *relayPlan) printSynchronize() {
	peak := residentKiB("VmHWM")
	bytes := 0
	for _, pod := range p.state.pods {
		bytes += proto.Size(pod)
	}
	for _, container := range p.state.containers {
		bytes += proto.Size(container)
	}
	fmt.Printf("Synchronize pods=%d containers=%d bytes=%d ms=%.1f memory=%dKiB\n",
		len(p.state.pods), len(p.state.containers), bytes,
		float64(p.synchronized.Microseconds())/1000, peak-p.before)
}

func (p *relayPlan) requests(r relay) ([]proto.Message, error) {
	var all []proto.Message
	for i := range max(min(p.pods, p.count), 1) {
		fields := map[string]json.RawMessage{"pod": protoJSON(p.pod(i))}
		if strings.HasSuffix(p.event, "Container") {
			fields["container"] = protoJSON(p.container(2*i, i))
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		request, err := r.build(&command{Request: text})
		if err != nil {
			return nil, err
		}
		all = append(all, request)
	}
	return all, nil
}

func (p *relayPlan) pod(i int) *adaptation.PodSandbox {
	return &adaptation.PodSandbox{
		Id: fmt.Sprintf("pod-%d", i), Name: fmt.Sprintf("web-%d", i), Namespace: "default",
		Labels: p.pairs(), Annotations: p.pairs(),
	}
}

func (p *relayPlan) container(i, pod int) *adaptation.Container {
	return &adaptation.Container{
		Id: fmt.Sprintf("container-%d", i), PodSandboxId: fmt.Sprintf("pod-%d", pod), Name: "app",
		Labels: p.pairs(), Annotations: p.pairs(),
	}
}

func (p *relayPlan) pairs() map[string]string {
	pairs := map[string]string{}
	for i := range p.labels {
		pairs[fmt.Sprintf("example.com/label-%d", i)] = fmt.Sprintf("value %d", i)
	}
	return pairs
}

// residentKiB reads a line of the status of this process.
func residentKiB(field string) int {
	text, err := os.ReadFile("/proc/self/status")
	exitOn(err)
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, field+":"); found {
			var kib int
			_, err := fmt.Sscan(rest, &kib)
			exitOn(err)
			return kib
		}
	}
	return 0
}

// silent drops the log.
type silent struct{}

func (silent) Debugf(context.Context, string, ...any) {}
func (silent) Infof(context.Context, string, ...any)  {}
func (silent) Warnf(context.Context, string, ...any)  {}
func (silent) Errorf(context.Context, string, ...any) {}

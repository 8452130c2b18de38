// Command hostile is the runtime of the bench `hostile` of nri-adaptation,
// over the reference adaptation.
//
// It does what the process of our runtime does there, and prints the same
// lines: `listens`, and in the end its peak resident memory in MiB and the
// slowest and the median creation in milliseconds. A line of standard input
// says that the attack begins.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	nrilog "github.com/containerd/nri/pkg/log"
)

// attack is how long containers are created under attack, and pause the time
// between two of them.
const (
	attack = 5500 * time.Millisecond
	pause  = 20 * time.Millisecond
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("expected a socket and the seconds of a callback")
	}
	seconds, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	runtime, err := start(args[0], time.Duration(seconds)*time.Second)
	if err != nil {
		return err
	}
	fmt.Println("listens")
	begins := make(chan struct{})
	input := bufio.NewReader(os.Stdin)
	go func() {
		_, _ = input.ReadString('\n')
		close(begins)
	}()
	untilBegin(runtime, begins)
	times := create(runtime, time.Now().Add(attack))
	slices.Sort(times)
	peak, err := peakMiB()
	if err != nil {
		return err
	}
	worst, median := times[len(times)-1], times[len(times)/2]
	fmt.Println(peak, worst.Milliseconds(), median.Milliseconds())
	_, err = io.Copy(io.Discard, input)
	return err
}

func start(socket string, callback time.Duration) (*adaptation.Adaptation, error) {
	nrilog.Set(silent{})
	synchronize := func(ctx context.Context, plugin adaptation.SyncCB) error {
		_, err := plugin(ctx, nil, nil)
		return err
	}
	update := func(context.Context, []*adaptation.ContainerUpdate) ([]*adaptation.ContainerUpdate, error) {
		time.Sleep(callback)
		return nil, nil
	}
	runtime, err := adaptation.New("hostile", "1", synchronize, update,
		adaptation.WithSocketPath(socket),
		adaptation.WithPluginPath("/nonexistent"),
		adaptation.WithPluginConfigPath("/nonexistent"))
	if err != nil {
		return nil, err
	}
	return runtime, runtime.Start()
}

// untilBegin creates containers while honest plugins connect.
func untilBegin(runtime *adaptation.Adaptation, begins <-chan struct{}) {
	for number := 0; ; number++ {
		select {
		case <-begins:
			return
		case <-time.After(pause):
			createOne(runtime, fmt.Sprintf("early%d", number))
		}
	}
}

func create(runtime *adaptation.Adaptation, end time.Time) []time.Duration {
	var times []time.Duration
	for len(times) == 0 || time.Now().Before(end) {
		times = append(times, createOne(runtime, fmt.Sprintf("c%d", len(times))))
		time.Sleep(pause)
	}
	return times
}

// createOne returns the time of a creation, which hostile answers may fail.
func createOne(runtime *adaptation.Adaptation, id string) time.Duration {
	start := time.Now()
	_, _ = runtime.CreateContainer(context.Background(), &adaptation.CreateContainerRequest{
		Pod:       &adaptation.PodSandbox{Id: "p1"},
		Container: &adaptation.Container{Id: id},
	})
	return time.Since(start)
}

// peakMiB returns the peak of resident memory.
func peakMiB() (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			return kib >> 10, err
		}
	}
	return 0, fmt.Errorf("no VmHWM")
}

// silent drops the log.
type silent struct{}

func (silent) Debugf(context.Context, string, ...any) {}
func (silent) Infof(context.Context, string, ...any)  {}
func (silent) Warnf(context.Context, string, ...any)  {}
func (silent) Errorf(context.Context, string, ...any) {}

// wire speaks ttrpc over the reference multiplexer, in both directions, and nothing of NRI.
//
// It dials a socket, answers on one connection id, and calls on the other what the lines of its
// standard input ask for. Each line gets one line of JSON about what came of it.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/containerd/nri/pkg/net/multiplex"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const service = "wire.Test"

// task is what a line asks for: Parallel calls of each size from From to To.
type task struct {
	Method    string `json:"method"`
	From      int    `json:"from"`
	To        int    `json:"to"`
	Parallel  int    `json:"parallel"`
	TimeoutMs int    `json:"timeout_ms"`
}

// outcome tells how many calls came back as they should, and the first error by its code.
type outcome struct {
	Good  int    `json:"good"`
	Code  uint32 `json:"code"`
	Error string `json:"error"`
}

func main() {
	socket := flag.String("socket", "", "socket to dial")
	serveID := flag.Uint("serve", 1, "connection id to answer on")
	callID := flag.Uint("call", 2, "connection id to call on")
	life := flag.Duration("life", time.Minute, "end after this time")
	flag.Parse()
	time.AfterFunc(*life, func() { os.Exit(3) })

	trunk, err := net.Dial("unix", *socket)
	check(err)
	// Blocked, as the multiplexer drops what comes in for a connection that is not open yet.
	mux := multiplex.Multiplex(trunk, multiplex.WithBlockedRead())
	listener, err := mux.Listen(multiplex.ConnID(*serveID))
	check(err)
	go serve(listener)
	conn, err := mux.Open(multiplex.ConnID(*callID))
	check(err)
	client := ttrpc.NewClient(conn)
	mux.Unblock()

	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var t task
		check(json.Unmarshal(lines.Bytes(), &t))
		check(out.Encode(t.run(client)))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(listener net.Listener) {
	server, err := ttrpc.NewServer()
	check(err)
	server.Register(service, map[string]ttrpc.Method{
		"Echo": method(func(_ context.Context, in []byte) ([]byte, error) { return in, nil }),
		"Fail": method(func(context.Context, []byte) ([]byte, error) {
			return nil, status.Error(codes.Aborted, "as asked")
		}),
		"Wait": method(func(ctx context.Context, _ []byte) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
	})
	_ = server.Serve(context.Background(), listener)
}

func method(work func(context.Context, []byte) ([]byte, error)) ttrpc.Method {
	return func(ctx context.Context, unmarshal func(interface{}) error) (interface{}, error) {
		var in wrapperspb.BytesValue
		if err := unmarshal(&in); err != nil {
			return nil, err
		}
		out, err := work(ctx, in.Value)
		if err != nil {
			return nil, err
		}
		return wrapperspb.Bytes(out), nil
	}
}

func (t *task) run(client *ttrpc.Client) outcome {
	var (
		all   sync.WaitGroup
		guard sync.Mutex
		sum   outcome
	)
	for size := t.From; size <= t.To; size++ {
		for lane := 0; lane < t.Parallel; lane++ {
			all.Add(1)
			go func() {
				defer all.Done()
				err := t.call(client, bytes.Repeat([]byte{byte(size + lane)}, size))
				guard.Lock()
				defer guard.Unlock()
				sum.add(err)
			}()
		}
		all.Wait()
	}
	return sum
}

func (t *task) call(client *ttrpc.Client, payload []byte) error {
	ctx := context.Background()
	if t.TimeoutMs > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(t.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	var out wrapperspb.BytesValue
	if err := client.Call(ctx, service, t.Method, wrapperspb.Bytes(payload), &out); err != nil {
		return err
	}
	if !bytes.Equal(out.Value, payload) {
		return fmt.Errorf("%d bytes back for %d", len(out.Value), len(payload))
	}
	return nil
}

func (o *outcome) add(err error) {
	if err == nil {
		o.Good++
	} else if o.Error == "" {
		o.Code, o.Error = uint32(status.Code(err)), err.Error()
	}
}

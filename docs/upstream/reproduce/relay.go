package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/log"
	"github.com/containerd/nri/pkg/stub"
)

// relay is the reference adaptation with a socket, and what it logged.
type relay struct {
	*adaptation.Adaptation
	folder string
	logged lines
}

// lines collects what the adaptation logs, as a runtime would print it.
type lines chan string

func (l lines) Debugf(context.Context, string, ...any) {}
func (l lines) Infof(context.Context, string, ...any)  {}
func (l lines) Warnf(_ context.Context, format string, args ...any) {
	l <- "warning: " + fmt.Sprintf(format, args...)
}
func (l lines) Errorf(_ context.Context, format string, args ...any) {
	l <- "error: " + fmt.Sprintf(format, args...)
}

// print writes what was logged until now.
func (l lines) print(to io.Writer) {
	for {
		select {
		case line := <-l:
			fmt.Fprintln(to, "  log:", line)
		default:
			return
		}
	}
}

// start starts the adaptation with a pod to synchronize, and the limit for requests.
func start(limit time.Duration, options ...adaptation.Option) (*relay, error) {
	folder, err := os.MkdirTemp("", "nri")
	if err != nil {
		return nil, err
	}
	r := &relay{folder: folder, logged: make(lines, 64)}
	log.Set(r.logged)
	adaptation.SetPluginRequestTimeout(limit)
	synchronize := func(ctx context.Context, send adaptation.SyncCB) error {
		_, err := send(ctx, []*api.PodSandbox{pod()}, nil)
		return err
	}
	update := func(context.Context, []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) { return nil, nil }
	options = append(options, adaptation.WithSocketPath(r.socket()), adaptation.WithPluginPath(folder), adaptation.WithPluginConfigPath(folder))
	if r.Adaptation, err = adaptation.New("reproduce", "1.0.0", synchronize, update, options...); err != nil {
		return nil, err
	}
	return r, r.Start()
}

func (r *relay) socket() string { return filepath.Join(r.folder, "nri.sock") }

func (r *relay) end() {
	r.Stop()
	os.RemoveAll(r.folder)
}

// connect connects a plugin, which is registered and synchronized afterwards.
func (r *relay) connect(name string, plugin any, options ...stub.Option) (stub.Stub, error) {
	options = append(options, stub.WithPluginName(name), stub.WithPluginIdx("10"), stub.WithSocketPath(r.socket()), stub.WithOnClose(func() {}))
	s, err := stub.New(plugin, options...)
	if err != nil {
		return nil, err
	}
	return s, s.Start(context.Background())
}

// synced is the part of a plugin that tells when it is being synchronized.
type synced struct{ reached chan struct{} }

func newSynced() synced { return synced{make(chan struct{})} }

func (s synced) Synchronize(context.Context, []*api.PodSandbox, []*api.Container) ([]*api.ContainerUpdate, error) {
	close(s.reached)
	return nil, nil
}

// settle waits until the plugin is one of those that get events: the adaptation adds it after Synchronize, under the lock that is
// taken here.
func (r *relay) settle(plugin synced) {
	<-plugin.reached
	r.BlockPluginSync().Unblock()
}

func pod() *api.PodSandbox {
	return &api.PodSandbox{Id: "0123", Name: "web", Uid: "4567", Namespace: "default"}
}

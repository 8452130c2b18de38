// Command v010 is a plugin of NRI v0.1.0: it appends each request, as the types
// of that release understand it, to the file that its configuration names.
// With the annotation "fail" on the pod or container, it fails.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/containerd/nri/skel"
	types "github.com/containerd/nri/types/v1"
)

type plugin struct{}

func (plugin) Type() string { return "v010" }

func (plugin) Invoke(_ context.Context, request *types.Request) (*types.Result, error) {
	var conf struct {
		Log string `json:"log"`
	}
	if err := json.Unmarshal(request.Conf, &conf); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(conf.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := json.NewEncoder(file).Encode(request); err != nil {
		return nil, err
	}
	if reason, ok := request.Spec.Annotations["fail"]; ok {
		return nil, errors.New(reason)
	}
	return request.NewResult("v010"), nil
}

func main() {
	if err := skel.Run(context.Background(), plugin{}); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

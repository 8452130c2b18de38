// Adjust builds adjustments by the helpers of the Go API, to hold those of the Rust crate against.
//
// Without input it prints "NAME HEX" for every case, the encoded CreateContainerResponse. Given such lines, it answers
// each with "NAME equal" or "NAME different: GOT instead of WANT".
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/containerd/nri/pkg/api"
	"google.golang.org/protobuf/proto"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	asked := false
	for lines.Scan() {
		asked = true
		name, encoded, _ := strings.Cut(lines.Text(), " ")
		fmt.Println(name, compare(name, encoded))
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	if !asked {
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			fmt.Println(name, hex.EncodeToString(encode(name)))
		}
	}
}

func encode(name string) []byte {
	response := &api.CreateContainerResponse{Adjust: &api.ContainerAdjustment{}}
	cases[name](response)
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return data
}

func compare(name, encoded string) string {
	if cases[name] == nil {
		return "unknown"
	}
	data, err := hex.DecodeString(encoded)
	if err != nil {
		return err.Error()
	}
	// Both through the wire: in memory Go has nil values in maps that no message can carry.
	got, want := decode(data), decode(encode(name))
	if !proto.Equal(got, want) {
		return fmt.Sprintf("different: %v instead of %v", got, want)
	}
	return "equal"
}

func decode(data []byte) *api.CreateContainerResponse {
	response := &api.CreateContainerResponse{}
	if err := proto.Unmarshal(data, response); err != nil {
		log.Fatal(err)
	}
	return response
}

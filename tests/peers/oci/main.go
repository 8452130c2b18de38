// Oci has the reference generator apply adjustments to OCI runtime specs, to hold the Rust one against.
//
// It reads test cases from standard input and writes their outcomes to standard output, one line of JSON each.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/containerd/nri/pkg/api"
	nri "github.com/containerd/nri/pkg/runtime-tools/generate"
	rspec "github.com/opencontainers/runtime-spec/specs-go"
	tools "github.com/opencontainers/runtime-tools/generate"
	"google.golang.org/protobuf/proto"
)

// testCase is a spec and what to do with it.
type testCase struct {
	// Spec is the spec before.
	Spec *rspec.Spec
	// Adjust is an encoded ContainerAdjustment, in hexadecimal.
	Adjust string
	// Callbacks says whether the runtime sets callbacks.
	Callbacks bool
	// Ours is the spec that the Rust generator made, if it made one.
	Ours *rspec.Spec
}

// outcome is the result of a case.
type outcome struct {
	// Error is empty if the adjustment was applied.
	Error string `json:"error"`
	// Spec is the spec after.
	Spec *rspec.Spec `json:"spec,omitempty"`
	// Ours is that of the case, as the types of Go write it.
	Ours *rspec.Spec `json:"ours,omitempty"`
	// Container is what the helpers of the reference make of Ours: an encoded Container, in hexadecimal.
	Container string `json:"container,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var current testCase
		if err := json.Unmarshal(lines.Bytes(), &current); err != nil {
			log.Fatalf("%v in %s", err, lines.Text())
		}
		result := outcome{Spec: current.Spec, Ours: current.Ours}
		if err := current.run(); err != nil {
			result.Error = err.Error()
		}
		if current.Ours != nil {
			container, err := readContainer(current.Ours)
			if err != nil {
				log.Fatal(err)
			}
			result.Container = container
		}
		if err := output.Encode(result); err != nil {
			log.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

func (c *testCase) run() (err error) {
	encoded, err := hex.DecodeString(c.Adjust)
	if err != nil {
		return err
	}
	adjustment := &api.ContainerAdjustment{}
	if err := proto.Unmarshal(encoded, adjustment); err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	under := tools.NewFromSpec(c.Spec)
	return nri.SpecGenerator(&under, c.options()...).Adjust(adjustment)
}

// options are the callbacks. The test in Rust has the same.
func (c *testCase) options() []nri.GeneratorOption {
	if !c.Callbacks {
		return nil
	}
	return []nri.GeneratorOption{
		nri.WithAnnotationFilter(filter),
		nri.WithCDIDeviceInjector(inject),
		nri.WithBlockIOResolver(blockIO),
		nri.WithRdtResolver(rdt),
		nri.WithResourceChecker(check),
	}
}

// filter refuses an annotation with a certain value, keeps another from being removed, and adds one.
func filter(annotations map[string]string) (map[string]string, error) {
	if strings.HasSuffix(annotations["/name/1"], "9") {
		return nil, errors.New("refused annotation")
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, "-/name/2")
	annotations["filtered"] = "yes"
	return annotations, nil
}

// inject notes the devices, and what the spec has by then.
func inject(spec *rspec.Spec, names []string) error {
	if len(names) == 3 {
		return errors.New("refused CDI device")
	}
	if spec.Annotations == nil {
		spec.Annotations = map[string]string{}
	}
	spec.Annotations["cdi"] = strings.Join(names, " ")
	spec.Annotations["args"], spec.Annotations["cgroup"] = "0", ""
	if spec.Process != nil {
		spec.Annotations["args"] = fmt.Sprint(len(spec.Process.Args))
	}
	if spec.Linux != nil {
		spec.Annotations["cgroup"] = spec.Linux.CgroupsPath
	}
	return nil
}

func blockIO(class string) (*rspec.LinuxBlockIO, error) {
	if strings.HasSuffix(class, "7") {
		return nil, errors.New("refused class")
	}
	weight := uint16(len(class))
	return &rspec.LinuxBlockIO{Weight: &weight}, nil
}

func rdt(class string) (*rspec.LinuxIntelRdt, error) {
	if strings.HasSuffix(class, "7") {
		return nil, errors.New("refused class")
	}
	return &rspec.LinuxIntelRdt{ClosID: class}, nil
}

// check refuses a limit of huge pages, and drops all others.
func check(resources *rspec.LinuxResources) error {
	if resources == nil {
		return nil
	}
	if len(resources.HugepageLimits) == 4 {
		return errors.New("refused resources")
	}
	resources.HugepageLimits = nil
	return nil
}

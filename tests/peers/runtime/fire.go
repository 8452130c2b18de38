package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"nri-tests/peers/internal/pad"
)

// order is the life of one pod with one container. Events that the release
// does not know are left out.
var order = []string{
	"RunPodSandbox", "UpdatePodSandbox", "PostUpdatePodSandbox",
	"CreateContainer", "PostCreateContainer", "StartContainer", "PostStartContainer",
	"UpdateContainer", "PostUpdateContainer", "StopContainer", "RemoveContainer",
	"StopPodSandbox", "RemovePodSandbox",
}

var errUnknownEvent = errors.New("event is unknown to this release")

// relay is a method of the adaptation. Releases differ in the request types
// (StateChangeEvent before v0.12.0), not in the methods' names nor in the
// names of the requests' fields, so reflection serves all of them.
type relay struct {
	event  string
	method reflect.Value
}

func relayOf(runtime *adaptation.Adaptation, event string) (relay, error) {
	method := reflect.ValueOf(runtime).MethodByName(event)
	if !method.IsValid() || method.Type().NumIn() != 2 {
		return relay{}, fmt.Errorf("%s: %w", event, errUnknownEvent)
	}
	return relay{event, method}, nil
}

func (r relay) newRequest() proto.Message {
	return reflect.New(r.method.Type().In(1).Elem()).Interface().(proto.Message)
}

// rpc is the name of the call that a plugin gets (first) for this event.
func (r relay) rpc() string {
	if _, old := r.newRequest().(*adaptation.StateChangeEvent); old {
		return "StateChange"
	}
	return r.event
}

func (r relay) call(ctx context.Context, request proto.Message) (proto.Message, error) {
	out := r.method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(request)})
	err, _ := out[len(out)-1].Interface().(error)
	if len(out) == 1 || out[0].IsNil() {
		return nil, err
	}
	return out[0].Interface().(proto.Message), err
}

// build makes the request a command asks for: its own, or that of pod 0 and
// container 0, with annotations added and padded to a size.
func (r relay) build(c *command) (proto.Message, error) {
	request := r.newRequest()
	text := []byte(c.Request)
	if len(text) == 0 {
		text = defaultRequest(r.event)
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, request); err != nil {
		return nil, err
	}
	annotate(request, c.Annotations)
	if c.Frame > 0 {
		padTo(request, r.rpc(), c.Frame)
	}
	return request, nil
}

func defaultRequest(event string) []byte {
	fields := map[string]json.RawMessage{
		"pod":             protoJSON(newPod(0, 0)),
		"linux_resources": json.RawMessage(`{"cpu":{"shares":{"value":"512"}}}`),
	}
	if strings.HasSuffix(event, "Container") {
		fields["container"] = protoJSON(newContainer(0, 0, 0))
	}
	text, err := json.Marshal(fields)
	exitOn(err)
	return text
}

func annotate(request proto.Message, annotations map[string]string) {
	if p, ok := request.(interface{ GetPod() *adaptation.PodSandbox }); ok && p.GetPod() != nil {
		pod := p.GetPod()
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		for key, value := range annotations {
			pod.Annotations[key] = value
		}
	}
}

// padTo makes the ttrpc request as near to size bytes as lengths of lengths
// allow, never larger.
func padTo(request proto.Message, rpc string, size int) {
	bytes := 0
	for range 8 {
		over := frameSize(request, rpc) - size
		if over == 0 || bytes-over < 1 {
			return
		}
		bytes -= over
		annotate(request, map[string]string{pad.Key: pad.Text(bytes)})
	}
	for frameSize(request, rpc) > size {
		bytes--
		annotate(request, map[string]string{pad.Key: pad.Text(bytes)})
	}
}

func frameSize(request proto.Message, rpc string) int {
	return proto.Size(&ttrpc.Request{
		Service:     "nri.pkg.api.v1alpha1.Plugin",
		Method:      rpc,
		Payload:     make([]byte, proto.Size(request)),
		TimeoutNano: time.Second.Nanoseconds(),
	})
}

// fire relays an event, count times, and answers with what the adaptation
// returned last.
func (s *session) fire(c *command) (object, error) {
	r, err := relayOf(s.runtime, c.Event)
	if err != nil {
		return nil, err
	}
	request, err := r.build(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := callerContext(c)
	defer cancel()
	start := time.Now()
	var response proto.Message
	for range max(c.Count, 1) {
		if response, err = r.call(ctx, request); err != nil {
			break
		}
	}
	answer := object{"us": time.Since(start).Microseconds()}
	if err == nil && response != nil && response.ProtoReflect().IsValid() {
		answer["response"] = describe(response)
	}
	return answer, err
}

func callerContext(c *command) (context.Context, context.CancelFunc) {
	if c.TimeoutMs > 0 {
		return context.WithTimeout(context.Background(), time.Duration(c.TimeoutMs)*time.Millisecond)
	}
	return context.WithCancel(context.Background())
}

// longest is the longest text in a map that is printed in full.
const longest = 1024

// describe is a response as JSON; of longer texts it tells the length, and
// whether they are padding that came through intact.
func describe(response proto.Message) json.RawMessage {
	shorten(response.ProtoReflect())
	return protoJSON(response)
}

func shorten(message protoreflect.Message) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap() && field.MapValue().Kind() == protoreflect.StringKind:
			value.Map().Range(func(key protoreflect.MapKey, text protoreflect.Value) bool {
				if n := len(text.String()); n > longest {
					intact := pad.Intact(text.String())
					value.Map().Set(key, protoreflect.ValueOfString(fmt.Sprintf("%d bytes, intact: %v", n, intact)))
				}
				return true
			})
		case field.Kind() == protoreflect.MessageKind && !field.IsList() && !field.IsMap():
			shorten(value.Message())
		}
		return true
	})
}

// lifecycle relays every event once, in order, and stops at no error.
func (s *session) lifecycle(c *command) (object, error) {
	steps := []object{}
	for _, event := range order {
		step := *c
		step.Event = event
		answer, err := s.fire(&step)
		if errors.Is(err, errUnknownEvent) {
			continue
		}
		if answer == nil {
			answer = object{}
		}
		answer["event"] = event
		if err != nil {
			answer["error"] = err.Error()
		}
		steps = append(steps, answer)
	}
	return object{"steps": steps}, nil
}

package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// printLimit is the largest message that is printed in full.
const printLimit = 64 << 10

// recordCall prints a call to a plugin: what the adaptation makes of an answer
// is one thing, what went over the wire another.
func recordCall(ctx context.Context, req *ttrpc.Request, resp *ttrpc.Response, _ *ttrpc.UnaryClientInfo, next ttrpc.Invoker) error {
	start := time.Now()
	err := next(ctx, req, resp)
	line := object{
		"event":          "call",
		"method":         req.Method,
		"request_bytes":  proto.Size(req),
		"response_bytes": proto.Size(resp),
		"us":             time.Since(start).Microseconds(),
		"code":           outcome(resp, err).String(),
	}
	if err != nil {
		line["error"] = err.Error()
	} else if resp.Status != nil && resp.Status.Code != 0 {
		line["error"] = resp.Status.Message
	}
	if len(resp.Payload) <= printLimit {
		line["response"] = decodeResponse(req.Method, resp.Payload)
	}
	emit(line)
	return err
}

// countCall counts a call that was answered with success.
func (s *session) countCall(ctx context.Context, req *ttrpc.Request, resp *ttrpc.Response, _ *ttrpc.UnaryClientInfo, next ttrpc.Invoker) error {
	err := next(ctx, req, resp)
	if err == nil && outcome(resp, nil) == codes.OK {
		s.served.Add(1)
	}
	return err
}

func outcome(resp *ttrpc.Response, err error) codes.Code {
	switch {
	case err == nil && resp.Status != nil:
		return codes.Code(resp.Status.Code)
	case err == context.DeadlineExceeded:
		return codes.DeadlineExceeded
	default:
		return status.Code(err)
	}
}

func decodeResponse(method string, payload []byte) json.RawMessage {
	service, err := protoregistry.GlobalFiles.FindDescriptorByName("nri.pkg.api.v1alpha1.Plugin")
	exitOn(err)
	rpc := service.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method))
	if rpc == nil {
		return nil
	}
	message := dynamicpb.NewMessage(rpc.Output())
	if proto.Unmarshal(payload, message) != nil {
		return nil
	}
	return protoJSON(message)
}

// recordRequest prints a request from a plugin (RegisterPlugin and
// UpdateContainers), also those parts that the adaptation drops, as evictions.
func recordRequest(ctx context.Context, decode ttrpc.Unmarshaler, info *ttrpc.UnaryServerInfo, next ttrpc.Method) (any, error) {
	var message proto.Message
	answer, err := next(ctx, func(into any) error {
		message, _ = into.(proto.Message)
		return decode(into)
	})
	line := object{"event": "request", "method": info.FullMethod}
	if message != nil && proto.Size(message) <= printLimit {
		line["request"] = protoJSON(message)
	}
	if err != nil {
		line["error"] = err.Error()
	}
	emit(line)
	return answer, err
}

func protoJSON(message proto.Message) json.RawMessage {
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	exitOn(err)
	return text
}

func protoList[M proto.Message](messages []M) []json.RawMessage {
	list := []json.RawMessage{}
	for _, m := range messages {
		list = append(list, protoJSON(m))
	}
	return list
}

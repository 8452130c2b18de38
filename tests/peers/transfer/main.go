// transfer decodes messages with schemas that it is given, and encodes again what it understood.
//
// Standard input is a sequence of frames: a kind, and two byte strings that each have their length before them as
// four big-endian bytes. `S` sets the schema: a FileDescriptorSet, and nothing. `M` decodes a message: its type, and
// its bytes. The answer is one byte, 1 if the schema or message was accepted, and a byte string: for `M` the message
// without the fields that are unknown to the schema.
package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"log"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	var files *protoregistry.Files
	for {
		kind, err := in.ReadByte()
		if err == io.EOF {
			return
		}
		check(err)
		first, second := readBytes(in), readBytes(in)
		switch kind {
		case 'S':
			files, err = schema(first)
			answer(out, []byte{}, err == nil)
		case 'M':
			message := decode(files, string(first), second)
			answer(out, message, message != nil)
		default:
			log.Fatalf("unknown frame %q", kind)
		}
	}
}

func schema(encoded []byte) (*protoregistry.Files, error) {
	var set descriptorpb.FileDescriptorSet
	check(proto.Unmarshal(encoded, &set))
	return protodesc.NewFiles(&set)
}

// decode returns nil if the message is refused.
func decode(files *protoregistry.Files, name string, encoded []byte) []byte {
	found, err := files.FindDescriptorByName(protoreflect.FullName(name))
	check(err)
	message := dynamicpb.NewMessage(found.(protoreflect.MessageDescriptor))
	options := proto.UnmarshalOptions{DiscardUnknown: true}
	if options.Unmarshal(encoded, message) != nil {
		return nil
	}
	again, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(message)
	check(err)
	if again == nil {
		again = []byte{}
	}
	return again
}

func answer(out *bufio.Writer, message []byte, accepted bool) {
	first := byte(0)
	if accepted {
		first = 1
	}
	check(out.WriteByte(first))
	check(binary.Write(out, binary.BigEndian, uint32(len(message))))
	_, err := out.Write(message)
	check(err)
	check(out.Flush())
}

func readBytes(in io.Reader) []byte {
	var length uint32
	check(binary.Read(in, binary.BigEndian, &length))
	bytes := make([]byte, length)
	_, err := io.ReadFull(in, bytes)
	check(err)
	return bytes
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

#!/usr/bin/env bash
# Prints the proto of a made-up release of NRI, from the newest one: .ci/rehearsal/release.sh PROTO
# It has one of each thing that a release can bring: an event, a field of an adjustment, of a resource, of a request and of an
# answer, an RPC of the service Runtime, and a service. `StateChange`, which is deprecated, is gone with its request.
set -euo pipefail
last="$(sed -n 's/^  LAST = \([0-9]*\);.*/\1/p' "$1")"

sed -e '/^  rpc ValidateContainerAdjustment(/a\
\
  // Event `QUIESCE_CONTAINER`: a container is about to be quiesced.\
  rpc QuiesceContainer(QuiesceContainerRequest) returns (QuiesceContainerResponse);' \
  -e "s/^  LAST = .*/  QUIESCE_CONTAINER = $last;\n  LAST = $((last + 1));/" \
  -e '/^message ContainerAdjustment {/a\  string quiesce_group = 90;' \
  -e '/^message LinuxMemory {/a\  OptionalInt64 quiesce_limit = 90;' \
  -e '/^enum Field {/,/^}/s/^}/  MemQuiesceLimit = 90;\n}/' \
  -e '/^message UpdateContainerRequest {/a\  string quiesced_by = 90;' \
  -e '/^message StopContainerResponse {/a\  string quiesced_by = 90;' \
  -e '/^  rpc RegisterPlugin(/a\  rpc AuthenticatePlugin(AuthenticatePluginRequest) returns (AuthenticatePluginResponse);' \
  -e '/^  rpc StateChange(/d' -e '/^message StateChangeEvent {/,/^}/d' "$1"
cat << 'PROTO'

message QuiesceContainerRequest {
  PodSandbox pod = 1;
  Container container = 2;
}

message QuiesceContainerResponse {
  repeated ContainerUpdate update = 1;
}

message AuthenticatePluginRequest {
  string token = 1;
}

message AuthenticatePluginResponse {
  bool accepted = 1;
}

service Quiescence {
  rpc Resume(QuiesceContainerRequest) returns (Empty);
}
PROTO

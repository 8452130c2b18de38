{{- define "nri-plugin.name" -}}
nri-plugin-{{ .Values.plugin }}
{{- end -}}

{{- define "nri-plugin.selector" -}}
app.kubernetes.io/name: {{ include "nri-plugin.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "nri-plugin.metadata" -}}
name: {{ include "nri-plugin.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "nri-plugin.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The reference of an image, from a list: the values of the image, its repository, and the version of the chart. */}}
{{- define "nri-plugin.reference" -}}
{{- $image := index . 0 -}}
{{- $repository := index . 1 -}}
{{- if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ $image.tag | default (index . 2) }}
{{- end -}}
{{- end -}}

{{- define "nri-plugin.image" -}}
{{- $repository := .Values.image.repository | default (printf "registry.example.com/nri-%s" .Values.plugin) -}}
{{- include "nri-plugin.reference" (list .Values.image $repository .Chart.AppVersion) -}}
{{- end -}}

{{- define "nri-plugin.bridgeImage" -}}
{{- include "nri-plugin.reference" (list .Values.bridge.image .Values.bridge.image.repository .Chart.AppVersion) -}}
{{- end -}}

{{/* The arguments of the container, as a list: those of the bridge and the program that it starts, then those of the plugin. */}}
{{- define "nri-plugin.arguments" -}}
{{- $arguments := list -}}
{{- if .Values.httpPort -}}
{{- $arguments = list "--http" (printf "0.0.0.0:%d" (int .Values.httpPort)) -}}
{{- end -}}
{{- if .Values.bridge.command -}}
{{- if .Values.index -}}
{{- $arguments = concat $arguments (list "--name" .Values.plugin "--index" .Values.index) -}}
{{- end -}}
{{- $arguments = concat $arguments (.Values.bridge.args | default list) (list "--") .Values.bridge.command -}}
{{- end -}}
{{- concat $arguments .Values.args | toYaml -}}
{{- end -}}

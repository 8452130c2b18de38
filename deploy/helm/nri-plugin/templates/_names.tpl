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

{{- define "nri-plugin.image" -}}
{{- $repository := .Values.image.repository | default (printf "registry.example.com/nri-%s" .Values.plugin) -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

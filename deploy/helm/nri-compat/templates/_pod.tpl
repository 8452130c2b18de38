{{/* The entry of distributions.yaml. */}}
{{- define "nri-compat.distribution" -}}
{{- $known := .Files.Get "distributions.yaml" | fromYaml -}}
{{- get $known .Values.distribution | required (printf "distribution: %s is not in distributions.yaml" .Values.distribution) | toYaml -}}
{{- end -}}

{{/* The folders of the node, each with name and path; none for processes. */}}
{{- define "nri-compat.folders" -}}
{{- $distribution := include "nri-compat.distribution" . | fromYaml -}}
{{- if eq .Values.scan "folders" -}}
{{- concat $distribution.folders .Values.hostPaths | toYaml -}}
{{- else -}}
[]
{{- end -}}
{{- end -}}

{{/* The arguments of nri-compat, as a list. */}}
{{- define "nri-compat.arguments" -}}
- check
- {{ ternary "--root=/host" "--proc" (eq .Values.scan "folders") }}
- --config=/etc/nri-compat/nri-compat.toml
- --format=jsonl
{{- if .Values.textfile.enabled }}
- --metrics-file=/textfile/nri-compat.prom
{{- end }}
{{- if .Values.policyReports.enabled }}
- --publish={{ .Values.policyReports.api }}
{{- end }}
{{- if eq .Values.kind "DaemonSet" }}
- --every={{ .Values.interval | int }}s
- --ready-file=/state/ready
{{- else }}
# A finished pod no longer keeps the next one off its node.
- --linger=60s
{{- end }}
{{- end -}}

{{/* The settings of scheduling and images that all pods share. */}}
{{- define "nri-compat.scheduling" -}}
enableServiceLinks: false
terminationGracePeriodSeconds: 5
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "nri-compat.affinity" -}}
{{- $apart := dict "podAntiAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list (dict
  "topologyKey" "kubernetes.io/hostname"
  "labelSelector" (dict "matchLabels" (merge (dict "app.kubernetes.io/component" (include "nri-compat.component" .)) (include "nri-compat.selector" . | fromYaml)))
))) -}}
{{- if eq .Values.kind "DaemonSet" -}}
{{- toYaml .Values.affinity -}}
{{- else -}}
{{- mustMergeOverwrite (deepCopy .Values.affinity) $apart | toYaml -}}
{{- end -}}
{{- end -}}

{{/* The identity: nobody, unless the folders need root, or the processes, which also need SYS_PTRACE. */}}
{{- define "nri-compat.identity" -}}
{{- $distribution := include "nri-compat.distribution" . | fromYaml -}}
{{- if eq .Values.scan "processes" -}}
runAsUser: 0
runAsGroup: 0
seccompProfile:
  type: RuntimeDefault
appArmorProfile:
  type: Unconfined
{{- else if or $distribution.root .Values.textfile.enabled -}}
runAsUser: 0
runAsGroup: 0
seccompProfile:
  type: RuntimeDefault
{{- else -}}
runAsNonRoot: true
runAsUser: 65534
runAsGroup: 65534
seccompProfile:
  type: RuntimeDefault
{{- end -}}
{{- end -}}

{{/* The template of the pods on nodes. */}}
{{- define "nri-compat.template" -}}
{{- $folders := include "nri-compat.folders" . | fromYamlArray -}}
metadata:
  labels:
    {{- include "nri-compat.selector" . | nindent 4 }}
    app.kubernetes.io/component: {{ include "nri-compat.component" . }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if .Values.policyReports.enabled }}
  serviceAccountName: {{ include "nri-compat.name" . }}-reports
  {{- end }}
  automountServiceAccountToken: {{ .Values.policyReports.enabled }}
  {{- if ne .Values.kind "DaemonSet" }}
  restartPolicy: Never
  {{- end }}
  {{- if eq .Values.scan "processes" }}
  hostPID: true
  {{- end }}
  {{- include "nri-compat.scheduling" . | nindent 2 }}
  {{- with include "nri-compat.affinity" . | fromYaml }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "nri-compat.identity" . | nindent 4 }}
  containers:
    - name: nri-compat
      image: {{ include "nri-compat.image" . }}
      {{- if ne .Values.image.pullPolicy "IfNotPresent" }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      {{- end }}
      command: [nri-compat]
      args:
        {{- include "nri-compat.arguments" . | nindent 8 }}
      {{- if eq .Values.kind "DaemonSet" }}
      readinessProbe:
        exec:
          command: [nri-compat, ready, /state/ready]
        periodSeconds: 60
        timeoutSeconds: 10
      {{- end }}
      env:
        # The name of the node in the report, for nri-compat merge.
        - name: NODE_NAME
          valueFrom:
            fieldRef:
              fieldPath: spec.nodeName
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
          {{- if eq .Values.scan "processes" }}
          add: [SYS_PTRACE]
          {{- end }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: policy
          mountPath: /etc/nri-compat
          readOnly: true
        {{- if eq .Values.kind "DaemonSet" }}
        - name: state
          mountPath: /state
        {{- end }}
        {{- range $folders }}
        - name: {{ .name }}
          mountPath: /host{{ .path }}
          readOnly: true
        {{- end }}
        {{- if .Values.textfile.enabled }}
        - name: textfile
          mountPath: /textfile
        {{- end }}
  volumes:
    - name: policy
      configMap:
        name: {{ include "nri-compat.name" . }}
    {{- if eq .Values.kind "DaemonSet" }}
    - name: state
      emptyDir: {medium: Memory, sizeLimit: 1Mi}
    {{- end }}
    {{- range $folders }}
    - name: {{ .name }}
      hostPath:
        path: {{ .path }}
        type: Directory
    {{- end }}
    {{- if .Values.textfile.enabled }}
    - name: textfile
      hostPath:
        path: {{ .Values.textfile.folder }}
        type: DirectoryOrCreate
    {{- end }}
{{- end -}}

{{/* The specification of a Job on the nodes. */}}
{{- define "nri-compat.job" -}}
completions: {{ .Values.nodes | int }}
parallelism: {{ .Values.nodes | int }}
completionMode: Indexed
backoffLimit: {{ .Values.nodes | int }}
activeDeadlineSeconds: 1800
ttlSecondsAfterFinished: 86400
template:
  {{- include "nri-compat.template" . | nindent 2 }}
{{- end -}}

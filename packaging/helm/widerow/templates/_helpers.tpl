{{- define "widerow.name" -}}
{{- if contains "widerow" .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}{{ printf "%s-widerow" .Release.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "widerow.selector" -}}
app.kubernetes.io/name: widerow
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "widerow.labels" -}}
{{ include "widerow.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "widerow.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* a port's name has 15 characters at most */}}
{{- define "widerow.port" -}}
{{ printf "%s-%s" (index . 0) (index . 1 | lower) | trunc 15 | trimSuffix "-" }}
{{- end }}

{{- define "widerow.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ ternary "HTTPS" "HTTP" (ne .root.Values.tls.secretName "") }}
timeoutSeconds: 5
{{- end }}

{{- define "widerow.config" -}}
{{- $values := .Values }}
{{- $secure := and .Values.tokens (ne .Values.tls.secretName "") }}
{{- if not (or $secure .Values.insecure) }}
{{- fail "tokens, tls.secretName: one of them is empty; set both, or insecure=true" }}
{{- end }}
data=/data/store
http=0.0.0.0:7380
{{- if .Values.insecure }}
insecure=true
{{- end }}
{{- if .Values.tokens }}
tokens=/etc/widerow/tokens
{{- end }}
{{- if .Values.tls.secretName }}
tls-certificate=/etc/widerow-tls/tls.crt
tls-key=/etc/widerow-tls/tls.key
{{- end }}
{{- range .Values.listeners }}
{{ .name }}=0.0.0.0:{{ .port }}
{{- end }}
{{- range $key, $value := .Values.config }}
{{- if has $key (list "data" "http" "insecure" "tokens" "tls-certificate" "tls-key") }}
{{- fail (printf "config.%s: the chart sets this key, got %v" $key $value) }}
{{- end }}
{{ $key }}={{ $value }}
{{- end }}
{{- end }}

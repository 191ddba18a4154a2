{{- define "reelgate.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of one role's pods. Argument: a list of the root and the role. */}}
{{- define "reelgate.selector" -}}
app.kubernetes.io/name: reelgate
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "reelgate.labels" -}}
app.kubernetes.io/name: reelgate
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The pod of one role. Argument: a list of the root, the role, and its values. */}}
{{- define "reelgate.pod" -}}
{{- $root := index . 0 }}{{- $role := index . 1 }}{{- $values := index . 2 -}}
metadata:
  labels:
    {{- include "reelgate.selector" (list $root $role) | nindent 4 }}
  annotations:
    checksum/settings: {{ printf "%s%s" (toJson $root.Values.settings) (toJson $root.Values.secrets) | sha256sum }}
    {{- if $root.Values.metrics.annotations }}
    prometheus.io/scrape: "true"
    prometheus.io/port: {{ splitList ":" $root.Values.settings.ADMIN_PORT | last | quote }}
    prometheus.io/path: /metrics
    {{- end }}
spec:
  # Time to drain, to finish responses, and to close.
  terminationGracePeriodSeconds: {{ add (int $root.Values.settings.DRAIN_SEC) 45 }}
  automountServiceAccountToken: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile:
      type: {{ $values.seccompProfile | default "RuntimeDefault" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "reelgate.selector" (list $root $role) | nindent 10 }}
  containers:
    - name: reelgate
      image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      envFrom:
        - configMapRef:
            name: {{ include "reelgate.name" $root }}-settings
        - secretRef:
            name: {{ $root.Values.existingSecret | default (printf "%s-secrets" (include "reelgate.name" $root)) }}
      env:
        - name: ROLES
          value: {{ $role }}
        {{- range $name, $value := $values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        capabilities:
          drop: ["ALL"]
      ports:
        - name: admin
          containerPort: {{ splitList ":" $root.Values.settings.ADMIN_PORT | last }}
        {{- if eq $role "web" }}
        - name: http
          containerPort: 3000
        {{- end }}
      # A new version runs its migrations before the first response.
      startupProbe:
        httpGet: { path: /healthz, port: {{ ternary "http" "admin" (eq $role "web") }} }
        periodSeconds: 2
        failureThreshold: 300
      # 503 while the pod drains. It leaves the service within two periods, so DRAIN_SEC must be longer.
      readinessProbe:
        httpGet: { path: /readyz, port: {{ ternary "http" "admin" (eq $role "web") }} }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 2
      livenessProbe:
        httpGet: { path: /healthz, port: {{ ternary "http" "admin" (eq $role "web") }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: data
      {{- if $root.Values.data.existingClaim }}
      persistentVolumeClaim:
        claimName: {{ $root.Values.data.existingClaim }}
      {{- else }}
      emptyDir:
        sizeLimit: {{ $root.Values.data.sizeLimit }}
      {{- end }}
    - name: tmp
      emptyDir: {}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

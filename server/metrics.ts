import type { Metric } from './platform/metrics.ts'
import { readErrors } from './platform/metrics-text.ts'

/**
 * Every metric of `/metrics`, in addition to those of the process and of Node that `@prometheus-io/client` measures. Each is declared
 * next to what it measures; `deploy/prometheus` and `deploy/grafana` use them.
 */
export const METRICS: readonly Metric[] = [readErrors]

import { webProcesses } from './http/gathered-metrics.ts'
import { HEALTH_METRICS } from './http/health-metrics.ts'
import { REQUEST_METRICS } from './http/request-metrics.ts'
import { BACKUP_METRICS } from './modules/backups/metrics.ts'
import { LEDGER_METRICS } from './modules/billing/metrics.ts'
import { PLAYBACK_METRICS } from './modules/playback/metrics.ts'
import { segmentCacheBytes } from './modules/playback/segment-cache.ts'
import { QUOTA_METRICS } from './modules/quotas/metrics.ts'
import { TRANSCODE_METRICS } from './modules/transcoding/metrics.ts'
import { UPLOAD_METRICS } from './modules/uploads/metrics.ts'
import { MEDIA_METRICS } from './modules/videos/metrics.ts'
import { WEBHOOK_METRICS } from './modules/webhooks/metrics.ts'
import { cacheRequests } from './platform/cache.ts'
import { slowTurns } from './platform/loop-monitor.ts'
import type { Metric } from './platform/metrics.ts'
import { readErrors } from './platform/metrics-text.ts'
import { PROCESS_METRICS } from './platform/process-metrics.ts'
import { storageDuration, storageErrors } from './platform/storage/measured-storage.ts'
import { turnRefusals } from './platform/turns.ts'
import { JOB_METRICS } from './worker/job-metrics.ts'

/**
 * Every metric of `/metrics`, in addition to those of the process and of Node that `@prometheus-io/client` measures. Each is declared
 * next to what it measures; `deploy/prometheus` and `deploy/grafana` use them.
 */
export const METRICS: readonly Metric[] = [
  ...PROCESS_METRICS,
  ...HEALTH_METRICS,
  webProcesses,
  ...REQUEST_METRICS,
  ...QUOTA_METRICS,
  ...UPLOAD_METRICS,
  ...MEDIA_METRICS,
  ...TRANSCODE_METRICS,
  ...PLAYBACK_METRICS,
  ...WEBHOOK_METRICS,
  ...LEDGER_METRICS,
  ...BACKUP_METRICS,
  ...JOB_METRICS,
  cacheRequests,
  segmentCacheBytes,
  storageDuration,
  storageErrors,
  readErrors,
  turnRefusals,
  slowTurns,
]

import { webProcesses } from './http/gathered-metrics.ts'
import { HEALTH_METRICS } from './http/health-metrics.ts'
import { REQUEST_METRICS } from './http/request-metrics.ts'
import { QUOTA_METRICS } from './modules/access/quotas/metrics.ts'
import { BACKUP_METRICS } from './modules/backups/metrics.ts'
import { LEDGER_METRICS } from './modules/billing/metrics.ts'
import { PLAYBACK_METRICS } from './modules/delivery/metrics.ts'
import { segmentCacheBytes } from './modules/delivery/segments/segment-cache.ts'
import { TRANSCODE_METRICS } from './modules/transcoding/tasks/metrics.ts'
import { TRANSCRIPT_METRICS } from './modules/transcoding/transcripts/metrics.ts'
import { UPLOAD_METRICS } from './modules/uploads/metrics.ts'
import { MEDIA_METRICS } from './modules/videos/metrics.ts'
import { WEBHOOK_METRICS } from './modules/webhooks/delivery/metrics.ts'
import { cacheRequests } from './platform/cache.ts'
import type { Metric } from './platform/observe/metrics.ts'
import { readErrors } from './platform/observe/metrics-text.ts'
import { PROCESS_METRICS } from './platform/observe/process-metrics.ts'
import { storageDuration, storageErrors } from './platform/storage/measured-storage.ts'
import { slowTurns } from './platform/turns/loop-monitor.ts'
import { turnRefusals } from './platform/turns/turns.ts'
import { JOB_METRICS } from './worker/job-metrics.ts'

/**
 * Every metric of `/metrics`, besides those that `@prometheus-io/client` measures about the process and Node. Each is declared next to what
 * it measures; `deploy/prometheus` and `deploy/grafana` use them.
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
  ...TRANSCRIPT_METRICS,
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

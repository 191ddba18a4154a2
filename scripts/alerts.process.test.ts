import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'

const root = join(import.meta.dirname, '..')
const RULES = join(root, 'deploy/prometheus/reelgate.rules.yml')

interface Alert {
  alert: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}
const alerts = (parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules)

const anchorOf = (heading: string) => heading.toLowerCase().replace(/[^\w]+/g, '-')
const runbooks = readFileSync(join(root, 'docs/runbooks.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ anchor: anchorOf(section.split('\n', 1)[0] as string), section }))

it('each alert waits, has a severity and a summary, and leads to its own runbook, which leads to nothing else', () => {
  for (const { alert, for: waits, labels, annotations } of alerts) {
    expect(waits, alert).toMatch(/^\d+[mh]$/)
    expect(['critical', 'warning']).toContain(labels.severity)
    expect(annotations.summary, alert).toMatch(/\.$/)
  }
  expect(alerts.map(({ annotations }) => annotations.runbook_url)).toEqual(runbooks.map(({ anchor }) => `docs/runbooks.md#${anchor}`))
  for (const { section } of runbooks) expect(section).toMatch(/\*\*Meaning\.\*\*[\s\S]*\*\*Confirm\.\*\*[\s\S]*\*\*Do\.\*\*/)
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) process.stderr.write('promtool is not installed: the alerts are not evaluated (apt-get install prometheus).\n')

const folder = mkdtempSync(join(tmpdir(), 'reelgate-alerts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const promtool = (...given: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', given, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/**
 * For each alert the series that cause it, with a value for each minute in the notation of promtool, the last minute without it, and the
 * minute by which it fires; no other alert fires then.
 */
const CAUSES: Record<string, { series: Record<string, string>; quiet: number; fires: number }> = {
  ReelgateDown: { series: { 'up{job="reelgate",instance="a"}': '1x5 0x20' }, quiet: 6, fires: 9 },
  ReelgateUnavailable: { series: { 'reelgate_readiness{instance="a",state="unavailable"}': '0x5 1x20' }, quiet: 6, fires: 9 },
  ReelgateDegraded: { series: { 'reelgate_readiness{instance="a",state="degraded"}': '1x40' }, quiet: 14, fires: 16 },
  ReelgateWebProcessMissing: {
    series: {
      'reelgate_web_processes{instance="a",state="wanted"}': '4x40',
      'reelgate_web_processes{instance="a",state="responding"}': '4x5 3x20',
    },
    quiet: 8,
    fires: 12,
  },
  ReelgateNoWorker: {
    series: { 'reelgate_processes{job="reelgate",instance="a",role_name="worker"}': '1x5 0x20' },
    quiet: 8,
    fires: 12,
  },
  ReelgateVersionsDiffer: { series: { 'reelgate_process_versions{job="reelgate",instance="a"}': '2x90' }, quiet: 58, fires: 62 },
  ReelgateEventLoopLag: { series: { 'nodejs_eventloop_lag_p99_seconds{job="reelgate",instance="a"}': '0.5x30' }, quiet: 8, fires: 12 },
  ReelgateMetricsUnreadable: { series: { 'reelgate_metrics_read_errors_total{instance="a"}': '0+1x40' }, quiet: 8, fires: 14 },
  ReelgateErrors: {
    series: {
      'reelgate_http_requests_total{job="reelgate",status="2xx"}': '0+980x10 10780+1000x40',
      'reelgate_http_requests_total{job="reelgate",status="5xx"}': '0x10 0+20x40',
    },
    quiet: 12,
    fires: 20,
  },
  ReelgateSlowApi: {
    series: {
      'reelgate_http_request_duration_seconds_bucket{job="reelgate",route="/v1/video",le="0.5"}': '0+90x40',
      'reelgate_http_request_duration_seconds_bucket{job="reelgate",route="/v1/video",le="1"}': '0+100x40',
      'reelgate_http_request_duration_seconds_bucket{job="reelgate",route="/v1/video",le="+Inf"}': '0+100x40',
    },
    quiet: 9,
    fires: 13,
  },
  ReelgateTokensRefused: {
    series: {
      'reelgate_quota_grants_total{job="reelgate"}': '0+10x90',
      'reelgate_quota_refusals_total{job="reelgate",reason="credit"}': '0+20x90',
    },
    quiet: 28,
    fires: 34,
  },
  ReelgateUploadsRefused: { series: { 'reelgate_upload_refusals_total{job="reelgate",limit="disk"}': '0+1x40' }, quiet: 4, fires: 9 },
  ReelgatePoolExhausted: { series: { 'reelgate_database_pool_waiting{instance="a"}': '0x5 3x30' }, quiet: 12, fires: 18 },
  ReelgateListenerSilent: { series: { 'reelgate_listener_live{instance="a"}': '1x5 0x20' }, quiet: 6, fires: 9 },
  ReelgateClockSkew: { series: { 'reelgate_database_clock_ahead_seconds{instance="a"}': '-8x30' }, quiet: 8, fires: 12 },
  ReelgateTranscodeQueueOld: { series: { 'reelgate_transcode_queue_oldest_seconds{job="reelgate"}': '0+60x90' }, quiet: 38, fires: 45 },
  ReelgateTranscodesFail: { series: { 'reelgate_transcodes_total{job="reelgate",result="failed"}': '0x10 0+1x90' }, quiet: 16, fires: 30 },
  ReelgateTranscriptsOld: { series: { 'reelgate_transcripts_oldest_seconds{job="reelgate"}': '0+600x90' }, quiet: 64, fires: 70 },
  ReelgateTranscodingSlow: {
    series: {
      'reelgate_transcode_speed_ratio_sum{job="reelgate"}': '0+0.2x200',
      'reelgate_transcode_speed_ratio_count{job="reelgate"}': '0+1x200',
    },
    quiet: 58,
    fires: 64,
  },
  ReelgateWorkerPaused: { series: { 'reelgate_worker_paused{instance="a"}': '1x30' }, quiet: 8, fires: 12 },
  ReelgateWebhooksLate: {
    series: { 'reelgate_webhook_oldest_due_seconds{job="reelgate",endpoints="working"}': '0+60x30' },
    quiet: 6,
    fires: 10,
  },
  ReelgateWebhooksUnanswered: {
    series: {
      'reelgate_webhook_attempts_total{job="reelgate",result="no_response"}': '0+95x60',
      'reelgate_webhook_attempts_total{job="reelgate",result="delivered"}': '0+5x60',
    },
    quiet: 14,
    fires: 18,
  },
  ReelgateLedgerLate: { series: { 'reelgate_ledger_close_lag_seconds{job="reelgate"}': '0+60x90' }, quiet: 69, fires: 73 },
  ReelgateJobsLate: {
    series: { 'reelgate_jobs_oldest_waiting_seconds{job="reelgate",kind="mail.send"}': '0+60x40' },
    quiet: 19,
    fires: 23,
  },
  ReelgateJobsFail: {
    series: { 'reelgate_job_runs_total{job="reelgate",kind="mail.send",result="failed"}': '0+1x40' },
    quiet: 9,
    fires: 20,
  },
  ReelgateMediaRemovalLate: { series: { 'reelgate_media_removal_lag_seconds{job="reelgate"}': '30000x90' }, quiet: 58, fires: 62 },
  ReelgateStorageErrors: {
    series: {
      'reelgate_storage_errors_total{job="reelgate",operation="read"}': '0+5x40',
      'reelgate_storage_operation_duration_seconds_count{job="reelgate",operation="read"}': '0+100x40',
    },
    quiet: 4,
    fires: 8,
  },
  ReelgateMediaDamaged: { series: { 'reelgate_media_faults{job="reelgate",kind="changed"}': '0x5 2x90' }, quiet: 62, fires: 68 },
  ReelgateBackupUnproven: {
    series: { 'reelgate_backup_last_proven_timestamp_seconds{job="reelgate"}': '-129000x60' },
    quiet: 20,
    fires: 28,
  },
  ReelgateStorageSlow: {
    series: {
      'reelgate_storage_operation_duration_seconds_bucket{job="reelgate",operation="read",le="0.5"}': '0+80x40',
      'reelgate_storage_operation_duration_seconds_bucket{job="reelgate",operation="read",le="2.5"}': '0+100x40',
      'reelgate_storage_operation_duration_seconds_bucket{job="reelgate",operation="read",le="+Inf"}': '0+100x40',
    },
    quiet: 9,
    fires: 13,
  },
  ReelgateDiskFull: {
    series: { 'reelgate_disk_free_bytes{instance="b",volume="media"}': '1000x40', 'reelgate_disk_reserve_bytes{instance="b"}': '2000x40' },
    quiet: 4,
    fires: 7,
  },
  ReelgateDiskFillsUp: {
    series: {
      'reelgate_disk_free_bytes{instance="a",volume="media"}': '100000-10x200',
      'reelgate_disk_reserve_bytes{instance="a"}': '90000x200',
    },
    quiet: 55,
    fires: 65,
  },
}

const FIRING = 'count by (alertname) (ALERTS{alertstate="firing"})'

describe.runIf(hasPromtool)('Prometheus', () => {
  it('accepts the configuration and the rules', () => {
    expect(promtool('check', 'config', join(root, 'deploy/prometheus/prometheus.yml'))).toMatchObject({ status: 0 })
  })

  it('evaluates each alert as intended: silent before its time, then firing, and no other with it', () => {
    expect(Object.keys(CAUSES)).toEqual(alerts.map(({ alert }) => alert))
    const tests = Object.entries(CAUSES).map(([alert, { series, quiet, fires }]) => ({
      name: alert,
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        { expr: FIRING, eval_time: `${quiet}m`, exp_samples: [] },
        { expr: FIRING, eval_time: `${fires}m`, exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }] },
      ],
    }))
    const file = join(folder, 'tests.yml')
    writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    const { status, output } = promtool('test', 'rules', file)
    expect(status, output).toBe(0)
  })
})

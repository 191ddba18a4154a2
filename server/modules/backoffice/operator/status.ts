import { env } from '../../../platform/config/config.ts'
import { installedBuild } from '../../../platform/config/installed-build.ts'
import { db } from '../../../platform/database/database.ts'
import { speechChoice } from '../../../platform/speech/speech-choice.ts'
import { readInstallationDelivered } from '../../analytics/delivered/delivered-report.ts'
import { readTranscodeQueue } from '../../transcoding/tasks/metrics.ts'
import { readTranscriptQueue } from '../../transcoding/transcripts/metrics.ts'
import { countWatchedEncodings } from '../../transcoding/watched-encodings.ts'
import { readWebhookQueue } from '../../webhooks/delivery/metrics.ts'
import { readBackups } from '../support/backups.ts'
import { readDatabase } from './database-status.ts'
import { type InstallationStatus, readInstallationLimits } from './installation-status.ts'
import { readJobs, readProcesses } from './process-status.ts'
import { type OperatorCtx, requireCurrentOperator } from './roles.ts'
import { readStorage } from './storage-status.ts'
import { type Warning, warningsOf } from './warnings.ts'

/** Returns the state of the installation and its warnings, most serious first. Errors: as `requireCurrentOperator`. */
export async function installationStatus(ctx: OperatorCtx): Promise<InstallationStatus & { warnings: Warning[] }> {
  await requireCurrentOperator(db(), ctx)
  const [processes, videos, transcripts, webhooks, jobs, storage, encodings, delivered, database, backups] = await Promise.all([
    readProcesses(),
    readTranscodeQueue(),
    readTranscriptQueue(),
    readWebhookQueue(),
    readJobs(),
    readStorage(),
    countWatchedEncodings(),
    readInstallationDelivered(),
    readDatabase(),
    readBackups(),
  ])
  const [last] = backups.backups
  const status: InstallationStatus = {
    version: installedBuild().version,
    processes,
    queue: {
      videos,
      webhooks: { pending: webhooks.pending, oldest: webhooks.due.find(({ endpoints }) => endpoints === 'working')?.oldest ?? 0 },
      jobs,
      ...{ speech: speechChoice(), transcripts },
    },
    storage,
    encodings,
    delivered,
    database,
    backups: {
      isScheduled: backups.scheduled,
      isOverdue: backups.overdue,
      last: last ? { id: last.id, startedAt: last.startedAt, state: last.state, failure: last.failure } : null,
      lastProven: backups.lastProven,
    },
    signUp: { mode: env().SIGN_UP, domains: env().SIGN_UP_DOMAINS },
    limits: readInstallationLimits(storage),
  }
  return { ...status, warnings: warningsOf(status) }
}

import { LIMIT_NAMES, LIMITS } from '../../../limits.ts'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import type { speechChoice } from '../../../platform/speech/speech-choice.ts'
import type { InstallationDelivered } from '../../analytics/delivered/delivered-report.ts'
import type { RenditionSums } from '../../analytics/delivered/delivered-schema.ts'
import { renditionsOfAll } from '../../analytics/delivered/rendition-sums.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import type { TranscriptQueue } from '../../transcoding/transcripts/metrics.ts'
import type { InstallationWatchedEncodings } from '../../transcoding/watched-encodings.ts'
import type { DatabaseStatus } from './database-status.ts'
import type { JobStatus, ProcessStatus } from './process-status.ts'
import { type OperatorCtx, requireCurrentOperator } from './roles.ts'
import type { StorageStatus } from './storage-status.ts'

/** State of the whole installation. Sizes in bytes, durations in seconds. */
export interface InstallationStatus {
  /** Of this process. */
  version: string
  processes: ProcessStatus[]
  queue: {
    /** Videos by state, and how long the oldest due one has waited. */
    videos: { due: number; delayed: number; running: number; oldest: number }
    /** Pending deliveries, and how long the oldest one due at a working endpoint has waited. */
    webhooks: { pending: number; oldest: number }
    jobs: JobStatus[]
    /** Captions from speech: the engine, or how to switch one on; and the requests that wait for it. */
    speech: ReturnType<typeof speechChoice>
    transcripts: TranscriptQueue
  }
  storage: StorageStatus
  /** Videos that have AV1 or the slower preset, or wait for it. */
  encodings: InstallationWatchedEncodings
  /** What was delivered in the last 30 days, by codec. */
  delivered: InstallationDelivered
  database: DatabaseStatus
  backups: {
    isScheduled: boolean
    isOverdue: boolean
    /** The newest backup. */
    last: { id: string; startedAt: Date; state: string; failure: string | null } | null
    /** When the last verified backup read its data. */
    lastProven: Date | null
  }
  /** Who can sign up: the value of SIGN_UP, or `domains` with their names. */
  signUp: { mode: string; domains: string[] }
  limits: InstallationLimit[]
}

/** A limit of the installation, or the default of one of each account's. */
export interface InstallationLimit {
  /** null: no setting changes it for all accounts, only support for one. */
  setting: string | null
  title: string
  unit: 'count' | 'bytes'
  /** null: not set. */
  value: number | null
  /** What the installation uses of it; null for the default of an account. */
  used: number | null
}

/** Returns the limits of the installation with their use, and the default limits of accounts. */
export function readInstallationLimits({ stored }: StorageStatus): InstallationLimit[] {
  const { TOTAL_STORAGE_BYTES } = env()
  const total = stored.originals + stored.renditions + stored.unfinished
  return [
    { setting: 'TOTAL_STORAGE_BYTES', title: 'Storage of all accounts', unit: 'bytes', value: TOTAL_STORAGE_BYTES ?? null, used: total },
    ...LIMIT_NAMES.map((name) => {
      const { title, unit, ...limit } = LIMITS[name]
      return {
        setting: 'setting' in limit ? limit.setting : null,
        title: `${title}, each account`,
        unit,
        used: null,
        value: defaultLimit(name),
      }
    }),
  ]
}

/** Days of the delivered bytes, today included. */
const DAYS = 30

/** Bytes of all accounts by rendition and codec. */
export interface InstallationRenditions {
  days: number
  renditions: RenditionSums[]
}

/** Returns what is stored now and was delivered in 30 days, by rendition. Errors: as `requireCurrentOperator`. */
export async function installationRenditions(ctx: OperatorCtx): Promise<InstallationRenditions> {
  await requireCurrentOperator(db(), ctx)
  return { days: DAYS, renditions: await renditionsOfAll(DAYS) }
}

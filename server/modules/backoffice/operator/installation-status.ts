import type { InstallationDelivered } from '../../analytics/delivered/installation-delivered.ts'
import type { InstallationWatchedEncodings } from '../../transcoding/watched-encodings.ts'
import type { DatabaseStatus } from './database-status.ts'
import type { InstallationLimit } from './installation-limits.ts'
import type { JobStatus, ProcessStatus } from './process-status.ts'
import type { StorageStatus } from './storage-status.ts'

/** State of the whole installation. Sizes in bytes, durations in seconds. */
export interface InstallationStatus {
  /** Of the process that was asked. */
  version: string
  processes: ProcessStatus[]
  queue: {
    /** Videos by state, and how long the oldest that could begin has waited. */
    videos: { due: number; delayed: number; running: number; oldest: number }
    /** Pending deliveries, and how long the oldest due one of a working endpoint has waited. */
    webhooks: { pending: number; oldest: number }
    jobs: JobStatus[]
  }
  storage: StorageStatus
  /** Videos that got AV1 or the slower preset, and those that wait for them. */
  encodings: InstallationWatchedEncodings
  /** What was delivered in the last 30 days, by codec. */
  delivered: InstallationDelivered
  database: DatabaseStatus
  backups: {
    isScheduled: boolean
    isOverdue: boolean
    /** The newest one. */
    last: { id: string; startedAt: Date; state: string; failure: string | null } | null
    /** When the data of the last proven backup was read. */
    lastProven: Date | null
  }
  /** Who can sign up: the value of SIGN_UP, or `domains` and those that it names. */
  signUp: { mode: string; domains: string[] }
  limits: InstallationLimit[]
}

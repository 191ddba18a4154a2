import type { InstallationStatus } from './installation-status.ts'

/** Something that needs the operator, with what to do about it. */
export interface Warning {
  id: string
  level: 'bad' | 'warn'
  title: string
  /** What was found, with figures. */
  detail: string
  /** What to do, in order. A text in backticks is a command or a setting. */
  steps: string[]
  /** Section with more, of a guide in docs/ without its ending: `runbooks#reelgatedown`. */
  guide: string
  /** Page that shows more; null without one. */
  page: string | null
}

type Rule = (status: InstallationStatus) => Omit<Warning, 'id'> | undefined

const MINUTE = 60
const QUEUE_OLD_SEC = 15 * MINUTE
const WEBHOOKS_OLD_SEC = 5 * MINUTE
const JOBS_OLD_SEC = 10 * MINUTE
const TRANSACTION_OLD_SEC = 10 * MINUTE
const BEHIND_SEC = 30
const CONNECTIONS_SHARE = 0.9
const LIMIT_SHARE = 0.9

const minutes = (seconds: number) => `${Math.round(seconds / MINUTE)} min`
const lastHeard = (at: Date) => `last heartbeat ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

/** The one table of what needs an operator; the bounds are those of the alerts in deploy/prometheus where there is one. */
const RULES: Record<string, Rule> = {
  'no-worker': ({ processes }) => {
    if (processes.some(({ roles, isSilent }) => roles.includes('worker') && !isSilent)) return undefined
    return {
      ...{ level: 'bad', title: 'No worker is running', guide: 'runbooks#reelgatenoworker', page: null },
      detail: 'Videos are not transcoded, webhooks are not delivered, and no job runs.',
      steps: ['Start a process with `ROLES=worker` or `ROLES=web,worker`.', 'Read the last lines of the log of the one that ended.'],
    }
  },
  'silent-process': ({ processes }) => {
    const silent = processes.filter(({ isSilent }) => isSilent)
    if (silent.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'A process was lost', guide: 'runbooks#reelgatedown', page: null },
      detail: silent.map(({ host, pid, roles, heartbeatAt }) => `${host}, process ${pid} (${roles}), ${lastHeard(heartbeatAt)}`).join('; '),
      steps: [
        'Check that its machine runs and reaches the database.',
        'Start the process again on that machine, which ends this warning. That of a machine that does not return ends after a day.',
      ],
    }
  },
  'worker-fault': ({ processes }) => {
    const faulty = processes.filter(({ fault, isSilent }) => fault !== null && !isSilent)
    if (faulty.length === 0) return undefined
    return {
      ...{ level: 'bad', title: 'A worker takes no videos', guide: 'runbooks#reelgateworkerpaused', page: '/support/fleet' },
      detail: faulty.map(({ host, fault }) => `${host}: ${fault}`).join('; '),
      steps: ['Free space on its volume, or repair the connection to the media storage.', 'It continues without a restart.'],
    }
  },
  versions: ({ processes }) => {
    const versions = [...new Set(processes.filter(({ isSilent }) => !isSilent).map(({ version }) => version))]
    if (versions.length < 2) return undefined
    return {
      ...{ level: 'warn', title: 'Processes run different versions', guide: 'runbooks#reelgateversionsdiffer', page: null },
      detail: versions.sort().join(', '),
      steps: ['Expected during an update.', 'Otherwise start the processes with the older version again from the new one.'],
    }
  },
  migrations: ({ database: { migrations } }) => {
    if (migrations.missing.length === 0) return undefined
    return {
      ...{ level: 'bad', title: 'Migrations are missing', guide: 'runbooks#reelgateunavailable', page: null },
      detail: migrations.missing.join(', '),
      steps: ['Run `npm run operator -- migrate`.'],
    }
  },
  'disk-low': ({ storage: { free, reserve } }) => {
    const low = free.filter(({ bytes }) => bytes < reserve)
    if (low.length === 0) return undefined
    return {
      ...{ level: 'bad', title: 'A disk is almost full', guide: 'runbooks#reelgatediskfull', page: null },
      detail: `${low.map(({ volume, bytes }) => `${volume}: ${gigabytes(bytes)} free`).join('; ')}. Uploads and transcoding pause below ${gigabytes(reserve)}.`,
      steps: [
        'Enlarge the volume, or move the media to a bucket with `npm run operator -- media move`.',
        '`npm run operator -- media orphans` finds files that nothing needs.',
      ],
    }
  },
  'media-damaged': ({ storage: { faults } }) => {
    if (faults === 0) return undefined
    return {
      ...{ level: 'bad', title: 'Stored media is missing or damaged', guide: 'runbooks#reelgatemediadamaged', page: null },
      detail: `${faults} ${faults === 1 ? 'object' : 'objects'}. They are repaired where the original is intact.`,
      steps: ['Run `npm run operator -- media scrub` for the list.', 'Restore what cannot be repaired from a backup.'],
    }
  },
  'backups-off': ({ backups }) => {
    if (backups.isScheduled) return undefined
    return {
      ...{ level: 'warn', title: 'No backups are scheduled', guide: 'backups#set-up', page: null },
      detail: 'The database and the media exist once.',
      steps: [
        'Set `BACKUP_URL` to a folder on another machine or to a bucket, and start the workers again.',
        'Or run `npm run operator -- backup --to …` by your own schedule.',
      ],
    }
  },
  'backups-unproven': ({ backups }) => {
    if (!backups.isScheduled || !backups.isOverdue) return undefined
    return {
      ...{
        level: 'bad',
        title: 'No backup of the last two days is proven',
        guide: 'runbooks#reelgatebackupunproven',
        page: '/support/backups',
      },
      detail:
        backups.last?.failure ??
        (backups.lastProven ? `Last proven: ${backups.lastProven.toISOString().slice(0, 16)} UTC.` : 'None was ever proven.'),
      steps: ['Read why the last backup or its drill failed.', 'Run `npm run operator -- backup`, which also proves it.'],
    }
  },
  'queue-old': ({ queue: { videos } }) => {
    if (videos.oldest < QUEUE_OLD_SEC) return undefined
    return {
      ...{ level: 'warn', title: 'Videos wait long for a worker', guide: 'runbooks#reelgatetranscodequeueold', page: '/support/fleet' },
      detail: `The oldest has waited ${minutes(videos.oldest)}; ${videos.due} wait.`,
      steps: ['Start more workers, or give them more cores.', 'Check that no worker is paused.'],
    }
  },
  'webhooks-late': ({ queue: { webhooks } }) => {
    if (webhooks.oldest < WEBHOOKS_OLD_SEC) return undefined
    return {
      ...{ level: 'warn', title: 'Webhooks are delivered late', guide: 'runbooks#reelgatewebhookslate', page: null },
      detail: `The oldest due delivery of an endpoint that works has waited ${minutes(webhooks.oldest)}.`,
      steps: ['Check that a worker runs and reaches the internet.', 'Read its log for `webhook`.'],
    }
  },
  'jobs-late': ({ queue: { jobs } }) => {
    const late = jobs.filter(({ oldest }) => oldest >= JOBS_OLD_SEC)
    if (late.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'Jobs wait for a worker', guide: 'runbooks#reelgatejobslate', page: null },
      detail: late.map(({ name, oldest }) => `${name}: ${minutes(oldest)}`).join('; '),
      steps: ['Check that a worker runs.', 'Read its log for `job queue error`.'],
    }
  },
  'jobs-failed': ({ queue: { jobs } }) => {
    const failed = jobs.filter((job) => job.failed > 0)
    if (failed.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'Jobs failed within the last day', guide: 'runbooks#reelgatejobsfail', page: null },
      detail: failed.map((job) => `${job.name}: ${job.failed}${job.lastError === null ? '' : ` (${job.lastError})`}`).join('; '),
      steps: ['Read the log of the workers for `job failed`.', 'For kinds with `mail` check `SMTP_URL` and the mail server.'],
    }
  },
  connections: ({ database: { connections, maxConnections } }) => {
    if (connections < maxConnections * CONNECTIONS_SHARE) return undefined
    return {
      ...{ level: 'bad', title: 'The database has almost no connections left', guide: 'runbooks#reelgatepoolexhausted', page: null },
      detail: `${connections} of ${maxConnections} are in use.`,
      steps: ['Raise `max_connections`, or lower `DATABASE_POOL`.', 'Or put a connection pooler in front of the database.'],
    }
  },
  'old-transaction': ({ database: { oldestTransaction } }) => {
    if (oldestTransaction === null || oldestTransaction < TRANSACTION_OLD_SEC) return undefined
    return {
      ...{ level: 'warn', title: 'A transaction has been open for long', guide: 'database#long-transactions', page: null },
      detail: `${minutes(oldestTransaction)}. It keeps the database from removing old rows. A running backup is a common cause.`,
      steps: ['Find it in `pg_stat_activity` by `xact_start`.', 'End it with `pg_terminate_backend(pid)` unless it is a backup.'],
    }
  },
  'replica-behind': ({ database: { standbys, replicaBehind } }) => {
    const late = standbys.filter(({ lag }) => lag !== null && lag > BEHIND_SEC)
    const isBehind = replicaBehind === null || (replicaBehind !== undefined && replicaBehind > BEHIND_SEC)
    if (late.length === 0 && !isBehind) return undefined
    return {
      ...{ level: 'warn', title: 'A replica is behind', guide: 'database#reading-from-a-replica', page: null },
      detail:
        replicaBehind === null
          ? 'The database at DATABASE_READ_URL does not respond. Reads use the primary.'
          : late.map(({ name, lag }) => `${name}: ${Math.round(lag ?? 0)} s`).join('; ') ||
            `DATABASE_READ_URL: ${Math.round(replicaBehind ?? 0)} s`,
      steps: ['Check the disk and the network of the replica.', 'A failover to it now would lose the last changes.'],
    }
  },
  'limit-near': ({ limits }) => {
    const near = limits.filter(({ used, value }) => used !== null && value !== null && value > 0 && used >= value * LIMIT_SHARE)
    if (near.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'The installation is near a limit', guide: 'runbooks#reelgateuploadsrefused', page: null },
      detail: near.map(({ title, used, value }) => `${title}: ${Math.round(((used ?? 0) / (value ?? 1)) * 100)} %`).join('; '),
      steps: near.map(({ setting }) => `Raise \`${setting}\`, or delete what is not needed. Uploads beyond it are refused.`),
    }
  },
}

/** Returns the warnings of a status, the serious ones first. */
export function warningsOf(status: InstallationStatus): Warning[] {
  const found = Object.entries(RULES).flatMap(([id, rule]) => {
    const warning = rule(status)
    return warning ? [{ id, ...warning }] : []
  })
  return [...found.filter(({ level }) => level === 'bad'), ...found.filter(({ level }) => level === 'warn')]
}

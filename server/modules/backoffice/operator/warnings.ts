import type { InstallationStatus } from './installation-status.ts'

/** Something that needs the operator's attention, with what to do about it. */
export interface Warning {
  id: string
  level: 'bad' | 'warn'
  title: string
  /** What was found, with figures. */
  detail: string
  /** What to do, in order. A text in backticks is a command or a setting. */
  steps: string[]
  /** Section of a guide in docs/, without the ending of the file: `runbooks#reelgatedown`. */
  guide: string
  /** Page that shows more; null without one. */
  page: string | null
}

type Rule = (status: InstallationStatus) => Omit<Warning, 'id'> | undefined

const MINUTE = 60
const QUEUE_OLD_SEC = 15 * MINUTE
const TRANSCRIPTS_OLD_SEC = 6 * 60 * MINUTE
const WEBHOOKS_OLD_SEC = 5 * MINUTE
const JOBS_OLD_SEC = 10 * MINUTE
const TRANSACTION_OLD_SEC = 10 * MINUTE
const BEHIND_SEC = 30
const CONNECTIONS_SHARE = 0.9
const LIMIT_SHARE = 0.9

const minutes = (seconds: number) => `${Math.round(seconds / MINUTE)} min`
const lastHeard = (at: Date) => `last heartbeat ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

/** All warnings. A bound is the same as of the alert in deploy/prometheus, where there is one. */
const RULES: Record<string, Rule> = {
  'no-worker': ({ processes }) => {
    if (processes.some(({ roles, isSilent }) => roles.includes('worker') && !isSilent)) return undefined
    return {
      ...{ level: 'bad', title: 'No worker is running', guide: 'runbooks#reelgatenoworker', page: null },
      detail: 'Nothing transcodes videos, delivers webhooks or runs jobs.',
      steps: ['Start a process with `ROLES=worker` or `ROLES=web,worker`.', 'Read the last log lines of the worker that stopped.'],
    }
  },
  'silent-process': ({ processes }) => {
    const silent = processes.filter(({ isSilent }) => isSilent)
    if (silent.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'A process stopped responding', guide: 'runbooks#reelgatedown', page: null },
      detail: silent.map(({ host, pid, roles, heartbeatAt }) => `${host}, process ${pid} (${roles}), ${lastHeard(heartbeatAt)}`).join('; '),
      steps: [
        'Check that its machine is running and can reach the database.',
        'Restart the process on that machine to clear this warning. If the machine is gone, the warning clears after a day.',
      ],
    }
  },
  'worker-fault': ({ processes }) => {
    const faulty = processes.filter(({ fault, isSilent }) => fault !== null && !isSilent)
    if (faulty.length === 0) return undefined
    return {
      ...{ level: 'bad', title: 'A worker is paused', guide: 'runbooks#reelgateworkerpaused', page: '/support/fleet' },
      detail: faulty.map(({ host, fault }) => `${host}: ${fault}`).join('; '),
      steps: ['Free space on its volume, or repair the connection to the media storage.', 'The worker then resumes without a restart.'],
    }
  },
  versions: ({ processes }) => {
    const versions = [...new Set(processes.filter(({ isSilent }) => !isSilent).map(({ version }) => version))]
    if (versions.length < 2) return undefined
    return {
      ...{ level: 'warn', title: 'Processes run different versions', guide: 'runbooks#reelgateversionsdiffer', page: null },
      detail: versions.sort().join(', '),
      steps: ['Expected during an update.', 'Otherwise, restart the processes that run the older version.'],
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
        '`npm run operator -- media orphans` lists files that are no longer needed.',
      ],
    }
  },
  'media-damaged': ({ storage: { faults } }) => {
    if (faults === 0) return undefined
    return {
      ...{ level: 'bad', title: 'Stored media is missing or damaged', guide: 'runbooks#reelgatemediadamaged', page: null },
      detail: `${faults} ${faults === 1 ? 'object' : 'objects'}. We repair them where the original is intact.`,
      steps: ['Run `npm run operator -- media scrub` to list them.', 'Restore the rest from a backup.'],
    }
  },
  'backups-off': ({ backups }) => {
    if (backups.isScheduled) return undefined
    return {
      ...{ level: 'warn', title: 'No backups are scheduled', guide: 'backups#set-up', page: null },
      detail: 'There is only one copy of the database and the media.',
      steps: [
        'Set `BACKUP_URL` to a folder on another machine or to a bucket, and restart the workers.',
        'Or run `npm run operator -- backup --to …` on your own schedule.',
      ],
    }
  },
  'backups-unproven': ({ backups }) => {
    if (!backups.isScheduled || !backups.isOverdue) return undefined
    return {
      ...{
        level: 'bad',
        title: 'No verified backup in the last two days',
        guide: 'runbooks#reelgatebackupunproven',
        page: '/support/backups',
      },
      detail:
        backups.last?.failure ??
        (backups.lastProven ? `Last verified: ${backups.lastProven.toISOString().slice(0, 16)} UTC.` : 'No backup has ever been verified.'),
      steps: ['Find out why the last backup or its test restore failed.', 'Run `npm run operator -- backup`, which also verifies it.'],
    }
  },
  'queue-old': ({ queue: { videos } }) => {
    if (videos.oldest < QUEUE_OLD_SEC) return undefined
    return {
      ...{
        level: 'warn',
        title: 'The transcoding queue is backed up',
        guide: 'runbooks#reelgatetranscodequeueold',
        page: '/support/fleet',
      },
      detail: `Videos waiting: ${videos.due}, the oldest for ${minutes(videos.oldest)}.`,
      steps: ['Start more workers, or give them more cores.', 'Check that no worker is paused.'],
    }
  },
  'speech-fails': ({ queue: { transcripts } }) => {
    if (transcripts.fault === null) return undefined
    return {
      ...{ level: 'warn', title: 'Speech to text is failing', guide: 'runbooks#reelgatetranscriptsold', page: null },
      detail: `${transcripts.fault} Open requests: ${transcripts.due + transcripts.delayed + transcripts.running}.`,
      steps: [
        'Run `npm run operator -- speech check` on a worker. It says what is wrong.',
        'Open requests continue once the engine works.',
      ],
    }
  },
  'speech-old': ({ queue: { speech, transcripts } }) => {
    if ('off' in speech || transcripts.fault !== null || transcripts.oldest < TRANSCRIPTS_OLD_SEC) return undefined
    return {
      ...{ level: 'warn', title: 'Captions from speech are late', guide: 'runbooks#reelgatetranscriptsold', page: '/support/fleet' },
      detail: `Open requests: ${transcripts.due + transcripts.delayed + transcripts.running}, the oldest for ${Math.round(transcripts.oldest / 3_600)} h.`,
      steps: [
        'Start more workers: an engine on them runs only while no video is transcoded.',
        'Or set `SPEECH_URL` to a transcription server.',
      ],
    }
  },
  'webhooks-late': ({ queue: { webhooks } }) => {
    if (webhooks.oldest < WEBHOOKS_OLD_SEC) return undefined
    return {
      ...{ level: 'warn', title: 'Webhooks are late', guide: 'runbooks#reelgatewebhookslate', page: null },
      detail: `The oldest due delivery to a working endpoint has waited ${minutes(webhooks.oldest)}.`,
      steps: ['Check that a worker is running and can reach the internet.', 'Search its log for `webhook`.'],
    }
  },
  'jobs-late': ({ queue: { jobs } }) => {
    const late = jobs.filter(({ oldest }) => oldest >= JOBS_OLD_SEC)
    if (late.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'Jobs are waiting for a worker', guide: 'runbooks#reelgatejobslate', page: null },
      detail: late.map(({ name, oldest }) => `${name}: ${minutes(oldest)}`).join('; '),
      steps: ['Check that a worker is running.', 'Search its log for `job queue error`.'],
    }
  },
  'jobs-failed': ({ queue: { jobs } }) => {
    const failed = jobs.filter((job) => job.failed > 0)
    if (failed.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'Jobs failed in the last day', guide: 'runbooks#reelgatejobsfail', page: null },
      detail: failed.map((job) => `${job.name}: ${job.failed}${job.lastError === null ? '' : ` (${job.lastError})`}`).join('; '),
      steps: ['Search the workers’ logs for `job failed`.', 'If their names contain `mail`, check `SMTP_URL` and the mail server.'],
    }
  },
  connections: ({ database: { connections, maxConnections } }) => {
    if (connections < maxConnections * CONNECTIONS_SHARE) return undefined
    return {
      ...{ level: 'bad', title: 'The database is almost out of connections', guide: 'runbooks#reelgatepoolexhausted', page: null },
      detail: `${connections} of ${maxConnections} are in use.`,
      steps: ['Raise `max_connections`, or lower `DATABASE_POOL`.', 'Or put a connection pooler in front of the database.'],
    }
  },
  'old-transaction': ({ database: { oldestTransaction } }) => {
    if (oldestTransaction === null || oldestTransaction < TRANSACTION_OLD_SEC) return undefined
    return {
      ...{ level: 'warn', title: 'A transaction has been open for a long time', guide: 'database#long-transactions', page: null },
      detail: `Open for ${minutes(oldestTransaction)}. It keeps the database from removing old rows. A running backup is a common cause.`,
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
      steps: ['Check the replica’s disk and network.', 'A failover to it now would lose the latest changes.'],
    }
  },
  'limit-near': ({ limits }) => {
    const near = limits.filter(({ used, value }) => used !== null && value !== null && value > 0 && used >= value * LIMIT_SHARE)
    if (near.length === 0) return undefined
    return {
      ...{ level: 'warn', title: 'The installation is near a limit', guide: 'runbooks#reelgateuploadsrefused', page: null },
      detail: near.map(({ title, used, value }) => `${title}: ${Math.round(((used ?? 0) / (value ?? 1)) * 100)}%`).join('; '),
      steps: near.map(({ setting }) => `Raise \`${setting}\`, or delete what you no longer need. We refuse uploads beyond the limit.`),
    }
  },
}

/** Returns the warnings for a status, the serious ones first. */
export function warningsOf(status: InstallationStatus): Warning[] {
  const found = Object.entries(RULES).flatMap(([id, rule]) => {
    const warning = rule(status)
    return warning ? [{ id, ...warning }] : []
  })
  return [...found.filter(({ level }) => level === 'bad'), ...found.filter(({ level }) => level === 'warn')]
}

import { CODEC_TITLES, renditionTitle, savedShare } from '../../server/modules/analytics/delivered/delivered-schema.ts'
import type {
  InstallationLimit,
  InstallationRenditions,
  InstallationStatus,
} from '../../server/modules/backoffice/operator/installation-status.ts'
import type { TrendDay } from '../../server/modules/backoffice/operator/trends.ts'
import type { Warning } from '../../server/modules/backoffice/operator/warnings.ts'

const gigabytes = (bytes: number) => (Math.abs(bytes) < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`)
const seconds = (duration: number) => `${Math.round(duration)} s`

/** Formats a time to the minute. */
export const minute = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Returns the lines that `status` prints: everything on the console's Status page. */
export function statusText({ version, warnings, ...found }: InstallationStatus & { warnings: Warning[] }): string[] {
  const lines = [
    ...processes(found),
    ...queue(found),
    ...storage(found),
    ...encodings(found),
    ...delivered(found),
    ...database(found),
    ...backups(found),
    ...limits(found),
  ]
  return [`Version ${version}`, ...lines.map(([title, text]) => `  ${title.padEnd(9)} ${text}`), ...todo(warnings)]
}

type Found = Omit<InstallationStatus, 'version'>
type Lines = [title: string, text: string][]

const processes = ({ processes }: Found): Lines =>
  processes.map(({ host, pid, roles, version, startedAt, heartbeatAt, isSilent, fault }) => [
    'process',
    [
      `${host}:${pid}  ${roles.join(',')}  ${version}  since ${minute(startedAt)}`,
      isSilent && `NO HEARTBEAT since ${minute(heartbeatAt)}`,
      fault && `PAUSED: ${fault}`,
    ]
      .filter(Boolean)
      .join('  '),
  ])

const queue = ({ queue: { videos, webhooks, jobs, speech, transcripts } }: Found): Lines => [
  [
    'queue',
    `${videos.due} videos waiting, ${videos.running} in progress, ${videos.delayed} waiting to retry; longest wait ${seconds(videos.oldest)}`,
  ],
  ['speech', 'off' in speech ? speech.off : `engine ${speech.engine}`],
  [
    'captions',
    `${transcripts.due} requests waiting, ${transcripts.running} in progress, ${transcripts.delayed} waiting to retry; ` +
      `oldest ${seconds(transcripts.oldest)}${transcripts.fault === null ? '' : `. ${transcripts.fault}`}`,
  ],
  ['webhooks', `${webhooks.pending} deliveries pending; oldest due ${seconds(webhooks.oldest)}`],
  ...jobs.map(({ name, waiting, failed, lastError }): Lines[number] => [
    'jobs',
    `${name}: ${waiting} waiting, ${failed} failed in 24 hours${lastError === null ? '' : ` (${lastError})`}`,
  ]),
]

const storage = ({ storage: { media, free, reserve, stored, faults, removals, move } }: Found): Lines => [
  ['media', `${media.name}: ${stored.videos} videos`],
  ['media', `originals ${gigabytes(stored.originals)}, renditions ${gigabytes(stored.renditions)}`],
  ['media', `unfinished uploads ${gigabytes(stored.unfinished)}; ${faults} damaged objects, ${removals} removals pending`],
  ...(move ? [['media', `move: ${move}`] as Lines[number]] : []),
  ...free.map(({ volume, bytes }): Lines[number] => ['disk', `${volume}: ${gigabytes(bytes)} free, reserve ${gigabytes(reserve)}`]),
]

/** When videos get an encoding, in hours. */
const rule = (afterHours: number | null) =>
  afterHours === null ? 'never' : afterHours === 0 ? 'every video' : `after ${afterHours} hours of watch time`

const encodings = ({ encodings: { av1, slower } }: Found): Lines => [
  ['AV1', `${rule(av1.afterHours)}: ${av1.stored} videos, ${av1.due} waiting, ${av1.encoding} in progress`],
  ['H.264', `preset ${slower.preset} ${rule(slower.afterHours)}: ${slower.due} videos waiting`],
]

const delivered = ({ delivered: { days, storedAv1, ...sums } }: Found): Lines => [
  ['delivered', `in ${days} days: ${gigabytes(sums.h264)} in H.264, ${gigabytes(sums.av1)} in AV1, ${gigabytes(sums.audio)} of audio`],
  ['delivered', `${gigabytes(sums.saved)} less than with H.264 alone (${percent(savedShare(sums) ?? 0)})`],
  ['stored', `${gigabytes(storedAv1)} in AV1`],
]

const percent = (share: number) => `${Math.round(share * 100)} %`

const database = ({ database: { migrations, standbys, replicaBehind, oldestTransaction, ...server } }: Found): Lines => [
  [
    'database',
    `PostgreSQL ${server.version}${server.isEmbedded ? ', embedded' : ''}, ${gigabytes(server.size)}, ` +
      `${server.connections} of ${server.maxConnections} connections`,
  ],
  ['database', `oldest transaction ${oldestTransaction === null ? 'none' : seconds(oldestTransaction)}`],
  [
    'database',
    `${migrations.applied} ${migrations.applied === 1 ? 'migration' : 'migrations'} applied${migrations.missing.length ? `, missing: ${migrations.missing.join(', ')}` : ''}`,
  ],
  ...standbys.map(({ name, state, lag }): Lines[number] => [
    'standby',
    `${name}: ${state ?? 'connected'}${lag === null ? '' : `, ${seconds(lag)} behind`}`,
  ]),
  ...(replicaBehind === undefined
    ? []
    : [['replica', replicaBehind === null ? 'no response' : `${seconds(replicaBehind)} behind`] as Lines[number]]),
]

const backups = ({ backups: { isScheduled, last, lastProven } }: Found): Lines => [
  ['backups', isScheduled ? 'scheduled' : 'not scheduled: BACKUP_URL is not set'],
  ['backups', last ? `last: ${last.id}, ${minute(last.startedAt)}, ${last.failure ?? last.state}` : 'no backup yet'],
  ['backups', lastProven ? `last verified: ${minute(lastProven)}` : 'none verified yet'],
]

const amount = ({ unit }: InstallationLimit, value: number) => (unit === 'bytes' ? gigabytes(value) : String(value))

const limits = ({ limits, signUp }: Found): Lines => [
  ['sign-up', [signUp.mode, ...signUp.domains].join(' ')],
  ...limits.map((limit): Lines[number] => {
    const bound = limit.value === null ? 'no limit' : amount(limit, limit.value)
    return [
      'limit',
      `${limit.setting ?? limit.title}: ${limit.used === null ? `${bound} for each account` : `${amount(limit, limit.used)} of ${bound}`}`,
    ]
  }),
]

/** Returns the lines of a table of bytes by rendition. */
export function renditionsText({ days, renditions }: InstallationRenditions): string[] {
  if (renditions.length === 0) return ['No renditions yet.']
  const rows = [
    ['rendition', 'codec', 'stored', `${days} days`, 'saved'],
    ...renditions.map(({ codec, rendition, stored, delivered, saved }) => [
      ...[renditionTitle(rendition), CODEC_TITLES[codec] ?? '-', gigabytes(stored), gigabytes(delivered)],
      codec === 'av1' ? gigabytes(saved) : '-',
    ]),
  ]
  return rows.map(
    ([name = '', codec = '', ...sizes]) => `${name.padEnd(20)}${codec.padEnd(8)}${sizes.map((size) => size.padStart(14)).join('')}`,
  )
}

/** Returns the lines of a table of the last days. */
export function trendsText(days: readonly TrendDay[]): string[] {
  const rows = [
    ['day (UTC)', 'requests', '4xx', '5xx', 'failed', 'wait', 'wait p95', 'stored'],
    ...days.map(({ at, requests, clientErrors, serverErrors, failedTranscodes, wait, stored }) => [
      ...[at, ...[requests, clientErrors, serverErrors, failedTranscodes].map(String)],
      ...(wait ? [seconds(wait.p50), seconds(wait.p95)] : ['-', '-']),
      stored ? gigabytes(stored.originals + stored.renditions + stored.others) : '-',
    ]),
  ]
  return rows.map((cells) =>
    cells
      .map((cell) => cell.padStart(12))
      .join('')
      .trimStart(),
  )
}

/** Returns what needs the operator, each with its steps and the guide. */
function todo(warnings: Warning[]): string[] {
  if (warnings.length === 0) return ['Nothing needs your attention.']
  return warnings.flatMap(({ level, title, detail, steps, guide }) => [
    `${level === 'bad' ? 'SERIOUS' : 'WARNING'}  ${title}. ${detail}`,
    ...steps.map((step) => `  - ${step}`),
    `  Guide: docs/${guide.replace('#', '.md#')}`,
  ])
}

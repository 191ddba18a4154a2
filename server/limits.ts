/**
 * Every limit of an account. Use cases, the dashboard, support and the documentation read this table. `setting` names the installation's
 * default in server/platform/config/config.ts; `value` and `ofStorage` are defaults without a setting. A row in `account_limit` overrides
 * the default for one account.
 */
export const LIMITS = {
  freeTokens: {
    setting: 'ACCOUNT_FREE_TOKENS',
    unit: 'count',
    title: 'Free playback tokens per day',
    description: 'Free tokens across all keys per UTC day, including revoked and test keys.',
  },
  storageBytes: {
    setting: 'ACCOUNT_STORAGE_BYTES',
    unit: 'bytes',
    share: 1 / 2,
    title: 'Storage',
    description: 'Originals, renditions and unfinished uploads together. Deleted videos count until they are purged.',
  },
  videos: {
    setting: 'ACCOUNT_VIDEOS',
    unit: 'count',
    title: 'Videos',
    description: 'Videos and unfinished uploads. Deleted videos count until they are purged.',
  },
  unfinishedBytes: {
    ofStorage: 1 / 2,
    unit: 'bytes',
    title: 'Unfinished uploads',
    description: 'Declared size of all unfinished uploads, however many bytes have arrived.',
  },
  pendingVideos: {
    setting: 'MAX_PENDING_VIDEOS',
    unit: 'count',
    title: 'Videos waiting to be transcoded',
    description: 'Videos that are queued or being transcoded, including unfinished uploads.',
  },
  downloadBytes: {
    ofStorage: 1 / 10,
    unit: 'bytes',
    title: 'MP4 files for download',
    description: 'MP4 files kept for downloads, on top of storage. The least recently requested file is removed first.',
  },
  quotaRequests: {
    value: 5,
    unit: 'count',
    title: 'Quota requests per day',
    description: 'Requests for a higher quota per UTC day, across all keys. Each one is emailed to support.',
  },
  transcribedMinutes: {
    setting: 'ACCOUNT_TRANSCRIBED_MINUTES',
    unit: 'count',
    title: 'Minutes transcribed per month',
    description: 'Minutes of audio in which we looked for speech to generate captions, per UTC month.',
  },
  viewers: {
    value: 1_000_000,
    unit: 'count',
    title: 'Viewers',
    description:
      'People whose IDs token requests named. Above the limit, those seen longest ago are forgotten within an hour, with their progress.',
  },
  metadataBytes: {
    value: 250_000_000,
    unit: 'bytes',
    title: 'Video metadata',
    description:
      'Titles, descriptions, external IDs and metadata of videos, and the fields of API uploads until 30 days after they end. Includes rows and indexes.',
  },
  eventBytes: {
    value: 1_000_000_000,
    unit: 'bytes',
    title: 'Webhook events',
    description:
      'Events and delivery attempts, for as long as they are kept. Above the limit, you cannot send samples or replay deliveries.',
  },
  auditBytes: {
    value: 1_000_000_000,
    unit: 'bytes',
    title: 'Audit log',
    description: 'Audit log entries, which are kept forever. Above the limit, you can only revoke and delete.',
  },
  auditDayBytes: {
    value: 20_000_000,
    unit: 'bytes',
    title: 'Audit log per day',
    description: 'Audit log entries of the current UTC day. Above the limit, you can only revoke and delete until midnight UTC.',
  },
} as const satisfies Record<string, Limit>

/**
 * `share` is the default while the setting is unset: a fraction of the volume of DATA_DIR/media. `ofStorage` is a fraction of the
 * installation's `storageBytes`.
 */
type Limit = LimitText & ({ setting: string; share?: number } | { value: number } | { ofStorage: number })

interface LimitText {
  unit: 'count' | 'bytes'
  title: string
  description: string
}

export type LimitName = keyof typeof LIMITS
export const LIMIT_NAMES = Object.keys(LIMITS) as [LimitName, ...LimitName[]]

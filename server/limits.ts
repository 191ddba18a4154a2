/**
 * The one table of every limit of an account. Use cases, the dashboard, support and the documentation read it. `setting` names the
 * installation's default in server/platform/config/config.ts, `value` and `ofStorage` are defaults without a setting of their own; a row of
 * `account_limit` replaces it for one account.
 */
export const LIMITS = {
  freeTokens: {
    setting: 'ACCOUNT_FREE_TOKENS',
    unit: 'count',
    title: 'Free playback tokens per day',
    description: 'Free tokens of all keys per UTC day, including revoked and test keys.',
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
    description: 'Total declared size of unfinished uploads, regardless of how many bytes have arrived.',
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
    description: 'MP4 files that are kept for downloads, apart from the storage. The one unrequested for longest is removed first.',
  },
  quotaRequests: {
    value: 5,
    unit: 'count',
    title: 'Quota requests per day',
    description: 'Requests for a higher quota per UTC day, over all keys. Each is emailed to support staff.',
  },
  metadataBytes: {
    value: 250_000_000,
    unit: 'bytes',
    title: 'Texts of videos',
    description:
      'Titles, descriptions, external ids and metadata of videos, and the fields of API uploads until 30 days after their end. Rows and indexes are included.',
  },
  eventBytes: {
    value: 1_000_000_000,
    unit: 'bytes',
    title: 'Webhook events',
    description: 'Events and attempts of their deliveries, until their retention ends. Above it no sample is sent and nothing is replayed.',
  },
  auditBytes: {
    value: 1_000_000_000,
    unit: 'bytes',
    title: 'Audit log',
    description: 'Entries of the audit log, which is kept. Above it changes are refused, except for those that revoke or delete something.',
  },
  auditDayBytes: {
    value: 20_000_000,
    unit: 'bytes',
    title: 'Audit log per day',
    description: 'Entries of the present UTC day. Above it the same changes are refused until the next day.',
  },
} as const satisfies Record<string, Limit>

/**
 * `share` is the default while the setting is unset, as a fraction of the volume of DATA_DIR/media; `ofStorage` is a fraction of the
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

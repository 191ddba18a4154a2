import { availableParallelism, cpus } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseBackupUrl } from '../backup/backup-url.ts'
import { isDatabaseUrl } from '../database/database-url.ts'
import { parseMediaLocation } from '../storage/media-location.ts'
import { baseUrl, collectorUrl, originUrl, requestUrl } from './setting-urls.ts'

/** A path. A shell replaces `~`, `$HOME` and quotes; a file of settings does not, and a folder of that name would be made. */
const path = z
  .string()
  .refine((text) => !/^[~$"']/.test(text), 'Enter the complete path. ~, $ and quotes at its beginning are replaced by a shell only.')

const count = (fallback: number, min = 1) => z.coerce.number().int().min(min).default(fallback)

/** Hosts, or hosts with a port, separated by commas. */
const hosts = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter(Boolean),
  )

const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, 'Enter a URL of the form postgres://user:password@host:5432/database; separate several hosts by commas.')
  .optional()

/** An empty text is a value here: never. */
const hoursOrNever = (fallback: string) =>
  z
    .string()
    .trim()
    .default(fallback)
    .pipe(z.union([z.literal('').transform(() => null), z.coerce.number<string>().min(0).max(1_000_000)]))

const bytes = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** kid:secret,kid:secret */
const keyring = z
  .string()
  .optional()
  .transform((list) =>
    list?.split(',').map((item) => {
      const cut = item.indexOf(':')
      return { kid: item.slice(0, Math.max(0, cut)).trim(), secret: cut < 0 ? '' : item.slice(cut + 1).trim() }
    }),
  )
  .pipe(
    z
      .array(z.object({ kid: z.string().regex(/^[\w-]{1,32}$/), secret: z.string().min(32) }))
      .nonempty()
      .refine((list) => new Set(list.map(({ kid }) => kid)).size === list.length, 'Each kid must be unique.')
      .optional(),
  )

/** A port, or an address and a port. */
const listenAddress = z
  .string()
  .transform((text) => /^(?:(?<host>[\w.-]+|\[[\da-f:]+\]):)?(?<port>\d{1,5})$/i.exec(text)?.groups ?? {})
  .transform(({ host, port }) => ({ host: host?.replace(/^\[|\]$/g, ''), port: Number(port) }))
  .refine(({ port }) => port >= 1 && port <= 65_535, 'Enter a port, or an address and a port such as 127.0.0.1:3000.')

const isTier = (text: string) => text === 'paid' || text === 'free'

const SIGN_UP_MODES = ['open', 'invitation', 'sso', 'off'] as const
const isSignUpMode = (text: string) => SIGN_UP_MODES.some((mode) => mode === text)
const EMAIL_DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

/** Every setting, its default, and in one line when to change it. `.env.example` is written from this table by `npm run env-example` and checked by a test. */
export const settings = {
  PORT: {
    schema: listenAddress.prefault('3000'),
    description:
      'Port of the HTTP server. Put an address before it, such as 127.0.0.1:3000, to listen there only, as behind a proxy on the same machine.',
  },
  ADMIN_PORT: {
    schema: listenAddress.optional(),
    description:
      'Port of /metrics, /healthz and /readyz, at 127.0.0.1 or the address before it. Set it to monitor processes; never make it public. Unset: none.',
  },
  DATA_DIR: {
    schema: path.default('.data').transform((dir) => resolve(dir)),
    description:
      'Folder of the database, media, unfinished uploads and generated secret. Set it to a volume with room, and a path that outlives an update.',
  },
  STORAGE_URL: {
    schema: z
      .string()
      .transform((text, context) => {
        try {
          return parseMediaLocation(text)
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message })
          return z.NEVER
        }
      })
      .optional(),
    description:
      's3://bucket/prefix?endpoint=…&region=…, or file:///folder. Set it for several machines or much media (docs/operating.md). Unset: DATA_DIR/media.',
  },
  BACKUP_URL: {
    schema: z
      .string()
      .transform((text, context) => {
        try {
          return parseBackupUrl(text)
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message })
          return z.NEVER
        }
      })
      .optional(),
    description:
      'Existing folder on another disk, or s3://bucket/prefix?endpoint=…, for daily proven backups (docs/backups.md). Unset: none are made.',
  },
  BACKUP_AT: {
    schema: z
      .string()
      .default('03:10')
      .transform((list) => list.split(',').map((time) => time.trim()))
      .pipe(z.array(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter UTC times such as 03:10,15:10.')).nonempty()),
    description: 'UTC times of the daily backups, such as 03:10,15:10. Move them to your quiet hours, or make more of them to lose less.',
  },
  BACKUP_KEEP: {
    schema: count(7),
    description: 'Backups that are kept, besides the newest proven one. Raise it to go back further; lower it where space is short.',
  },
  BACKUP_MEDIA: {
    schema: z.enum(['copy', 'manifest']).default('copy'),
    description: 'copy, or manifest: a list of the media with hashes, for a bucket that is replicated or versioned by other means.',
  },
  DATABASE_URL: {
    schema: databaseUrl,
    description:
      'PostgreSQL 14 or newer, or PgBouncer 1.21, for several machines; hosts of a cluster separated by commas. Unset: an embedded PostgreSQL.',
  },
  DATABASE_DIRECT_URL: {
    schema: databaseUrl,
    description:
      'The same database without its pooler, for notices, jobs and migrations. Set it where DATABASE_URL is a pooler. Unset: DATABASE_URL.',
  },
  DATABASE_OWNER_URL: {
    schema: databaseUrl,
    description:
      'The same database, without a pooler, as the owner of its tables. Set it where the role of DATABASE_URL may not change tables. Unset: it may.',
  },
  MIGRATE_ON_START: {
    schema: z
      .enum(['true', 'false'])
      .default('true')
      .transform((value) => value === 'true'),
    description:
      'false: a new version starts only after npm run operator -- migrate. Choose it where migrations are a step of your deployment.',
  },
  DATABASE_READ_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    description:
      'A streaming replica for usage, exports and lists of support staff. Set it when these reads load the primary. Unset: DATABASE_URL.',
  },
  DATABASE_POOL: {
    schema: count(20),
    description:
      'Database connections of this process, besides five. Raise it when ReelgatePoolExhausted fires; lower it to fit max_connections.',
  },
  BASE_URL: {
    schema: originUrl.optional(),
    description:
      'Public URL of the dashboard and the API, without a path. Set it on every installation that others reach. Unset: http://localhost:PORT.',
  },
  SDK_URL: {
    schema: originUrl.optional(),
    description: 'Public URL of the embed player, without a path. Set it to serve the player from a host of its own. Unset: BASE_URL.',
  },
  PLAYER_CMCD: {
    schema: z.enum(['off', 'on']).default('off'),
    description:
      'on: the embed player adds its measurements (CTA-5004) to requests of media, for the log of a CDN that leaves CMCD out of its cache key.',
  },
  CDN_URL: {
    schema: baseUrl.optional(),
    description: 'Public URL of playlists, segments and keys. Set it to that of a CDN that pulls from /cdn. Unset: BASE_URL.',
  },
  CDN_ORIGIN: {
    schema: z.enum(['proxy', 'redirect', 'direct']).default('proxy'),
    description:
      'proxy; or with a bucket in STORAGE_URL redirect (302 to it), or direct (CDN_URL is the bucket), to relieve web processes (docs/operating.md).',
  },
  CDN_PURGE_URL: {
    schema: requestUrl.optional(),
    description:
      'URL that purges the CDN after a take-down: of Cloudflare, bunny.net or your own endpoint (docs/operating.md). Set it with a CDN. Unset: no purge.',
  },
  CDN_PURGE_TOKEN: {
    schema: z.string().min(1).optional(),
    description: 'Credential of CDN_PURGE_URL: the API token, or the access key of bunny.net. Set it where that URL asks for one.',
  },
  TRUST_PROXY: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
    description:
      'true behind a reverse proxy that sets X-Forwarded-For, -Host and -Proto. Keep false without one: any client could forge them.',
  },
  ROLES: {
    schema: z
      .string()
      .default('web,worker')
      .transform((roles) => roles.split(',').map((role) => role.trim()))
      .pipe(z.array(z.enum(['web', 'worker'])).nonempty()),
    description:
      'Roles of this process: web, worker, or both. Separate them to scale them apart or to put workers on machines of their own.',
  },
  WORKER_ACCOUNTS: {
    schema: z
      .string()
      .default('paid,free')
      .transform((list) => [...new Set(list.split(',').map((one) => one.trim()))].filter(Boolean))
      .refine((list) => list.every(isTier) || !list.some(isTier), 'Enter paid, free, both, or ids of accounts.'),
    description:
      'Accounts whose videos this worker transcodes: paid, free, or ids of accounts. Narrow it to reserve a worker; keep one for each tier.',
  },
  WEB_PROCESSES: {
    schema: z.union([z.literal('auto').transform(() => availableParallelism()), z.coerce.number().int().min(1).max(256)]).default(1),
    description: 'Processes that serve PORT, or auto: one per core. Raise it when one core of a large machine is busy with requests.',
  },
  DRAIN_SEC: {
    schema: z.coerce.number().int().min(0).max(3_600).default(10),
    description:
      'Seconds after SIGTERM in which /readyz returns 503 and requests are served. Longer than your load balancer needs to notice; 0 without one.',
  },
  REELGATE_SECRET: {
    schema: z.string().min(32).optional(),
    description:
      'Root secret of at least 32 characters, the same on all machines. Set it where there are several. Unset: generated into DATA_DIR/secret.',
  },
  REELGATE_SECRET_PREVIOUS: {
    schema: z.string().min(32).optional(),
    description: 'Root secret that is still accepted. Set it while you change REELGATE_SECRET (docs/operating.md).',
  },
  PLAYBACK_TOKEN_SECRETS: {
    schema: keyring,
    description:
      'Signing secrets of playback tokens as kid:secret,kid:secret. Set it to rotate them apart (docs/operating.md). Unset: from the root secret.',
  },
  MASTER_KEYS: {
    schema: keyring,
    description:
      'Secrets that seal content keys as kid:secret,kid:secret. Set it to rotate them apart (docs/operating.md). Unset: from the root secret.',
  },
  PAID_DAILY_QUOTA: {
    schema: count(100_000),
    description: 'Playback tokens per key and UTC day on the paid tier. Change it with your plans; a key can be granted more.',
  },
  ACCOUNT_FREE_TOKENS: {
    schema: count(100_000),
    description: 'Free playback tokens per account and UTC day over all of its keys. Lower it where free accounts cost too much.',
  },
  SUPPORT_SECOND_APPROVAL_CREDITS: {
    schema: z.coerce.number().int().min(0).max(1_000_000_000).default(1_000),
    description: 'Credits by which one member of staff may change a balance within a day; more needs a second. 0: always.',
  },
  SUPPORT_CONTACT: {
    schema: z.string().min(3).max(200).optional(),
    description:
      'Email address or URL that suspended users are shown. Set it where strangers sign up. Unset: the text "the operator of this service".',
  },
  STRIPE_SECRET_KEY: {
    schema: z.string().min(1).optional(),
    description: 'With STRIPE_WEBHOOK_SECRET: lets owners top up their wallet through Stripe. Unset: only the operator can add credit.',
  },
  STRIPE_WEBHOOK_SECRET: {
    schema: z.string().min(1).optional(),
    description: 'Signing secret (whsec_…) of the Stripe webhook at BASE_URL/api/stripe (docs/operating.md names its events).',
  },
  CREDIT_PRICE: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,8} [a-z]{3}$/, 'Enter an amount and a currency, such as 100 usd.')
      .default('100 usd'),
    description: 'Price of one credit through Stripe, in the smallest unit of a currency (cents). Change it with your prices or currency.',
  },
  INVOICE_ISSUER: {
    schema: z.string().max(500).optional(),
    description: 'Name, address and tax number at the top of statements, lines separated by |. Set it if you charge.',
  },
  INVOICE_NOTE: {
    schema: z.string().max(500).optional(),
    description: 'Note on statements, for example about tax. Set it where your law asks for one.',
  },
  MAX_UPLOAD_BYTES: {
    schema: count(20 * 1024 ** 3),
    description: 'Largest video file. Raise it for longer or better originals, within the disk of a worker.',
  },
  MAX_VIDEO_HOURS: {
    schema: count(12),
    description: 'Longest video. Raise it for recordings of a day; lower it to bound the work of one file.',
  },
  MAX_UNFINISHED_UPLOADS: {
    schema: count(20),
    description: 'Unfinished uploads per account. Raise it where products of customers create many upload URLs at once.',
  },
  ACCOUNT_STORAGE_BYTES: {
    schema: bytes.optional(),
    description:
      'Bytes stored per account, unless support sets others. Set it to your plans. Unset: half of the volume of the media, or 5 TB in a bucket.',
  },
  ACCOUNT_VIDEOS: {
    schema: count(10_000),
    description:
      'Videos per account, including deleted ones that can be restored, unless support sets another number. Set it to your plans.',
  },
  TOTAL_STORAGE_BYTES: {
    schema: bytes.optional(),
    description:
      'Bytes stored by all accounts. Set it to what you want to pay for, above all with a bucket. Unset: until STORAGE_RESERVE_BYTES are left.',
  },
  STORAGE_RESERVE_BYTES: {
    schema: count(2 * 1024 ** 3, 0),
    description:
      'Free bytes on each volume of DATA_DIR below which uploads and transcoding wait. Raise it on volumes that other programs fill too.',
  },
  MAX_PENDING_VIDEOS: {
    schema: count(100),
    description:
      'Videos per account that wait for transcoding, with unfinished uploads, unless support sets another number. Raise it for bulk imports.',
  },
  FFMPEG_PATH: {
    schema: path.optional(),
    description:
      "Path of ffmpeg, next to its ffprobe. Set it to choose a version or one with your encoder. Unset: the system's, else the one from npm.",
  },
  FFMPEG_READS: {
    schema: z
      .string()
      .default('')
      .transform((list) =>
        list
          .split(',')
          .map((path) => path.trim())
          .filter(Boolean),
      )
      .pipe(z.array(z.string().startsWith('/', 'Each path must begin with a slash.'))),
    description:
      'Further files and folders that ffmpeg may read, comma-separated. Set it where that of FFMPEG_PATH has libraries outside of the system.',
  },
  TRANSCODE_CONCURRENCY: {
    schema: count(1),
    description: 'Chunks of video that a worker encodes at once. Raise it with a hardware encoder, or where chunks leave cores idle.',
  },
  TRANSCODE_THREADS: {
    schema: count(Math.min(16, cpus().length)),
    description: 'Threads of each rendition. Lower it where workers share a machine or lack memory. Unset: one per core, at most 16.',
  },
  TRANSCODE_ENCODER: {
    schema: z.enum(['auto', 'x264', 'nvenc', 'vaapi', 'qsv']).default('x264'),
    description:
      'x264, nvenc (NVIDIA), vaapi, qsv (Intel, AMD), or auto: the first in hardware that works. Change it on all workers that have one.',
  },
  TRANSCODE_REPLACE_DAMAGED: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
    description: 'true on all workers: damaged parts become a still picture or silence, and the video says so. false: the video fails.',
  },
  TRANSCODE_MEMORY_MB: {
    schema: z.coerce.number().int().min(256).optional(),
    description:
      'Address space of each ffmpeg. Raise it when a log says out of memory, or for a driver. Unset: 3,000, and 350 for each of TRANSCODE_THREADS.',
  },
  AV1_AFTER_HOURS: {
    schema: hoursOrNever('20'),
    keepsEmpty: true,
    description:
      'Watched hours after which a video is encoded in AV1 too. Lower it where bytes cost more than processors. 0: all videos. Empty: none.',
  },
  SLOWER_PRESET_AFTER_HOURS: {
    schema: hoursOrNever('100'),
    keepsEmpty: true,
    description:
      'Watched hours after which x264 encodes a video again with preset medium. Lower it where bytes cost more. 0: all videos. Empty: none.',
  },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/ }).optional(),
    description:
      'smtp://user:password@host:587, or smtps://…:465. Set it to confirm, invite and inform by mail. Unset: no mail, and links to copy.',
  },
  MAIL_FROM: {
    schema: z.string().min(3).optional(),
    description:
      'Sender of emails, such as Reelgate <video@example.com>. Set it to one that your mail server accepts. Unset: no-reply at the host of BASE_URL.',
  },
  OPERATOR_EMAIL: {
    schema: z.email().optional(),
    description:
      'Receives what support staff are mailed: requests for more quota and failed backups. Set it where no user is staff, or for a shared mailbox.',
  },
  WEBHOOK_ALLOWED_HOSTS: {
    schema: hosts,
    description: 'Hosts, or host:port, that are not public and may receive webhooks, over http too. Set it for receivers in your network.',
  },
  IMPORT_ALLOWED_HOSTS: {
    schema: hosts,
    description:
      'Hosts, or host:port, that are not public and from which every account may import, over http too. Name object stores only.',
  },
  SEGMENT_MEMORY_MB: {
    schema: count(256),
    description: 'Memory of each web process for popular segments. Raise it without a CDN on machines with memory; lower it on small ones.',
  },
  EVENT_RETENTION_DAYS: {
    schema: count(90),
    description: 'Days for which webhook events and deliveries are kept. Change it to what law or contracts say.',
  },
  TRAFFIC_RETENTION_MONTHS: {
    schema: z.coerce.number().int().min(13).optional(),
    description: 'Months, 13 or more, for which daily counts of requests and plays are kept. Set it to what law says. Unset: for ever.',
  },
  GITHUB_CLIENT_ID: {
    schema: z.string().optional(),
    description: 'With GITHUB_CLIENT_SECRET: sign-in with GitHub. Register the callback BASE_URL/api/auth/callback/github.',
  },
  GITHUB_CLIENT_SECRET: {
    schema: z.string().optional(),
    description: 'Client secret of the GitHub OAuth app. Set it with GITHUB_CLIENT_ID.',
  },
  GITHUB_URL: { schema: baseUrl.default('https://github.com'), description: 'URL of GitHub. Change it for GitHub Enterprise Server.' },
  GOOGLE_CLIENT_ID: {
    schema: z.string().optional(),
    description: 'With GOOGLE_CLIENT_SECRET: sign-in with Google. Register the callback BASE_URL/api/auth/callback/google.',
  },
  GOOGLE_CLIENT_SECRET: {
    schema: z.string().optional(),
    description: 'Client secret of the Google OAuth client. Set it with GOOGLE_CLIENT_ID.',
  },
  OIDC_ISSUER: {
    schema: baseUrl.optional(),
    description: 'With the next two: sign-in with your OpenID Connect provider. Register the callback BASE_URL/api/auth/callback/oidc.',
  },
  OIDC_CLIENT_ID: { schema: z.string().optional(), description: 'Client id at the OpenID Connect provider. Set it with OIDC_ISSUER.' },
  OIDC_CLIENT_SECRET: {
    schema: z.string().optional(),
    description: 'Client secret at the OpenID Connect provider. Set it with OIDC_ISSUER.',
  },
  OIDC_NAME: {
    schema: z.string().max(40).default('single sign-on'),
    description: 'Name of the OpenID Connect provider on the sign-in button. Change it to one that your users know.',
  },
  OIDC_EMAIL_VERIFIED: {
    schema: z.enum(['claim', 'assumed']).default('claim'),
    description:
      'assumed: also addresses without the claim email_verified, as of Microsoft Entra ID. Only where your directory assigns them. claim: not those.',
  },
  SIGN_UP: {
    schema: z
      .string()
      .default('open')
      .transform((text) => text.split(',').map((one) => one.trim().toLowerCase()))
      .refine(
        (list) => (list.length === 1 && isSignUpMode(list[0] as string)) || list.every((one) => EMAIL_DOMAIN.test(one)),
        `Enter ${SIGN_UP_MODES.join(', ')}, or email domains in the form example.com.`,
      ),
    description:
      'open, invitation, sso (OpenID Connect only), off, or email domains such as example.com,example.org. Close it where strangers may not sign up.',
  },
  STAFF_SECOND_FACTOR: {
    schema: z.enum(['required', 'optional']).default('required'),
    description:
      'optional: support pages open with a password alone. Choose it only where the provider of the staff asks for a second factor.',
  },
  LOG_LEVEL: {
    schema: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    description: 'Least level of log lines: debug, info, warn or error. debug adds a line per request, to find a fault.',
  },
  ACCESS_LOG: {
    schema: z.enum(['off', 'errors', 'all']).default('errors'),
    description:
      'One JSON line per HTTP request on standard output, without secrets: all, errors (500 and above), or off where the proxy has a log.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: collectorUrl.optional(),
    description:
      'Address of a collector of OpenTelemetry traces by OTLP over HTTP, such as http://localhost:4318 (docs/operating.md). Unset: no traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    description: 'Share of requests whose traces are recorded, from 0 to 1. Lower it when the collector has too many.',
  },
} as const

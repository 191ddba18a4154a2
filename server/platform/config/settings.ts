import { availableParallelism, cpus } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseBackupUrl } from '../backup/backup-url.ts'
import { isDatabaseUrl } from '../database/database-url.ts'
import { SPEECH_ENGINES } from '../speech/speech-schema.ts'
import { parseMediaLocation } from '../storage/media-location.ts'
import { baseUrl, collectorUrl, hostList, originUrl, requestUrl } from './setting-urls.ts'

/** A path. A shell replaces `~`, `$HOME` and quotes; a file of settings does not, and a folder of that name would be made. */
const path = z
  .string()
  .refine((text) => !/^[~$"']/.test(text), 'Enter the complete path. ~, $ and quotes at its beginning are replaced by a shell only.')

const count = (fallback: number, min = 1) => z.coerce.number().int().min(min).default(fallback)

const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((value) => value === 'true')

/** Texts that commas separate. */
const list = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) => [...new Set(text.split(',').map((one) => one.trim()))].filter(Boolean))

/** What a function makes of a text, which throws in words for the operator. */
const parsed = <Value>(parse: (text: string) => Value) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return parse(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    })
    .optional()

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
      'Port of the HTTP server. Put an address before it, such as 127.0.0.1:3000, to listen only there, for example behind a proxy on the same machine.',
  },
  ADMIN_PORT: {
    schema: listenAddress.optional(),
    description:
      'Port of /metrics, /healthz and /readyz, on 127.0.0.1 or an address before it. Set it to monitor processes; never make it public. Unset: none.',
  },
  DATA_DIR: {
    schema: path.default('.data').transform((dir) => resolve(dir)),
    description:
      'Folder of the database, media, unfinished uploads and generated secret. Set it to a volume with room, at a path that survives upgrades.',
  },
  STORAGE_URL: {
    schema: parsed(parseMediaLocation),
    description:
      's3://bucket/prefix?endpoint=…&region=…, or file:///folder. Set it if you run several machines or store much media (docs/storage.md). Unset: DATA_DIR/media.',
  },
  BACKUP_URL: {
    schema: parsed(parseBackupUrl),
    description:
      'An existing folder on another disk, or s3://bucket/prefix?endpoint=…. Set it to back up daily and verify each backup (docs/backups.md). Unset: no backups.',
  },
  BACKUP_AT: {
    schema: list('03:10').pipe(z.array(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter UTC times such as 03:10,15:10.')).nonempty()),
    description: 'UTC times of the daily backups, such as 03:10,15:10. Move them to your quiet hours, or add more to lose less.',
  },
  BACKUP_KEEP: {
    schema: count(7),
    description: 'How many backups to keep, besides the newest verified one. Raise it to go back further; lower it if space is short.',
  },
  BACKUP_MEDIA: {
    schema: z.enum(['copy', 'manifest']).default('copy'),
    description: 'copy, or manifest: only list the media with its hashes. Choose manifest if you replicate or version the bucket yourself.',
  },
  DATABASE_URL: {
    schema: databaseUrl,
    description:
      'PostgreSQL 14 or newer, or PgBouncer 1.21. Set it to use several machines; separate the hosts of a cluster with commas. Unset: an embedded PostgreSQL.',
  },
  DATABASE_DIRECT_URL: {
    schema: databaseUrl,
    description:
      'The same database without the pooler, for change notices, jobs and migrations. Set it if DATABASE_URL is a pooler. Unset: DATABASE_URL.',
  },
  DATABASE_OWNER_URL: {
    schema: databaseUrl,
    description:
      'The same database, without a pooler, as the owner of its tables. Set it if the role in DATABASE_URL must not change tables. Unset: DATABASE_URL.',
  },
  MIGRATE_ON_START: {
    schema: flag('true'),
    description:
      'false: a new version starts only after npm run operator -- migrate. Choose it if migrations are a step of your deployment.',
  },
  DATABASE_READ_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    description:
      'A streaming replica for usage, exports and the lists of support staff. Set it when these reads load the primary. Unset: DATABASE_URL.',
  },
  DATABASE_POOL: {
    schema: count(20),
    description:
      'Database connections of this process, besides five. Raise it when ReelgatePoolExhausted fires; lower it to fit max_connections.',
  },
  BASE_URL: {
    schema: originUrl.optional(),
    description:
      'Public URL of the dashboard and the API, without a path. Set it on every installation that others use. Unset: http://localhost:PORT.',
  },
  SDK_URL: {
    schema: originUrl.optional(),
    description: 'Public URL of the embed player, without a path. Set it to serve the player from its own host. Unset: BASE_URL.',
  },
  PLAYER_CMCD: {
    schema: z.enum(['off', 'on']).default('off'),
    description:
      'on: the embed player adds its measurements (CTA-5004) to media requests. Choose it if the log of your CDN uses them and its cache key leaves CMCD out.',
  },
  CDN_URL: {
    schema: baseUrl.optional(),
    description: 'Public URL of playlists, segments and keys. Set it to a CDN that pulls from /cdn. Unset: BASE_URL.',
  },
  CDN_ORIGIN: {
    schema: z.enum(['proxy', 'redirect', 'direct']).default('proxy'),
    description:
      'proxy, redirect (302 to the bucket) or direct (CDN_URL is the bucket). With STORAGE_URL, change it to relieve web processes (docs/storage.md).',
  },
  CDN_PURGE_URL: {
    schema: requestUrl.optional(),
    description:
      "URL that purges the CDN after a take-down: Cloudflare's, bunny.net's or your own endpoint (docs/storage.md). Set it if you use a CDN. Unset: no purge.",
  },
  CDN_PURGE_TOKEN: {
    schema: z.string().min(1).optional(),
    description: 'Credential for CDN_PURGE_URL: an API token, or the access key of bunny.net. Set it if that URL requires one.',
  },
  TRUST_PROXY: {
    schema: flag('false'),
    description:
      'true: trust X-Forwarded-For, -Host and -Proto. Set it behind a reverse proxy that replaces them. Without one keep false, or any client could forge them.',
  },
  ROLES: {
    schema: list('web,worker').pipe(z.array(z.enum(['web', 'worker'])).nonempty()),
    description:
      'What this process does: web, worker, or both. Separate them to scale them independently or to put workers on machines of their own.',
  },
  WORKER_ACCOUNTS: {
    schema: list('paid,free').refine((all) => all.every(isTier) || !all.some(isTier), 'Enter paid, free, both, or ids of accounts.'),
    description: 'Whose videos this worker transcodes: paid, free, or account IDs. Narrow it to reserve a worker; keep one for each tier.',
  },
  WEB_PROCESSES: {
    schema: z.union([z.literal('auto').transform(() => availableParallelism()), z.coerce.number().int().min(1).max(256)]).default(1),
    description: 'How many processes serve PORT, or auto: one per core. Raise it when requests keep one core of a large machine busy.',
  },
  DRAIN_SEC: {
    schema: z.coerce.number().int().min(0).max(3_600).default(10),
    description:
      'Seconds after SIGTERM during which /readyz returns 503 but requests are served. Set more than your load balancer needs to notice; 0 without one.',
  },
  REELGATE_SECRET: {
    schema: z.string().min(32).optional(),
    description:
      'Root secret of at least 32 characters, the same on all machines. Set it if you have several. Unset: generated into DATA_DIR/secret.',
  },
  REELGATE_SECRET_PREVIOUS: {
    schema: z.string().min(32).optional(),
    description: 'A second root secret to accept. Set it while you change REELGATE_SECRET (docs/secrets.md).',
  },
  PLAYBACK_TOKEN_SECRETS: {
    schema: keyring,
    description:
      'Signing secrets of playback tokens, kid:secret,kid:secret. Set it to rotate them separately (docs/secrets.md). Unset: from the root secret.',
  },
  MASTER_KEYS: {
    schema: keyring,
    description:
      'Secrets that encrypt content keys, kid:secret,kid:secret. Set it to rotate them separately (docs/secrets.md). Unset: from the root secret.',
  },
  PAID_DAILY_QUOTA: {
    schema: count(100_000),
    description: 'Playback tokens per key and UTC day on the paid tier. Change it to match your plans; support staff can give a key more.',
  },
  ACCOUNT_FREE_TOKENS: {
    schema: count(100_000),
    description: 'Free playback tokens per account and UTC day, over all of its keys. Lower it if free accounts cost too much.',
  },
  SUPPORT_SECOND_APPROVAL_CREDITS: {
    schema: z.coerce.number().int().min(0).max(1_000_000_000).default(1_000),
    description:
      "Credits by which support staff can change a balance in 24 hours without a second member's approval. Lower it to require more approvals. 0: always.",
  },
  SUPPORT_CONTACT: {
    schema: z.string().min(3).max(200).optional(),
    description:
      'Email address or URL shown to suspended users. Set it if strangers can sign up. Unset: the words "the operator of this service".',
  },
  STRIPE_SECRET_KEY: {
    schema: z.string().min(1).optional(),
    description: 'Lets owners top up through Stripe. Set it together with STRIPE_WEBHOOK_SECRET. Unset: only you can add credit.',
  },
  STRIPE_WEBHOOK_SECRET: {
    schema: z.string().min(1).optional(),
    description: 'Signing secret (whsec_…) of the webhook BASE_URL/api/stripe. Set it with STRIPE_SECRET_KEY (docs/billing.md).',
  },
  CREDIT_PRICE: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,8} [a-z]{3}$/, 'Enter an amount and a currency, such as 100 usd.')
      .default('100 usd'),
    description: 'Price of one credit at Stripe, in the smallest unit of a currency (cents). Change it to match your prices or currency.',
  },
  INVOICE_ISSUER: {
    schema: z.string().max(500).optional(),
    description: 'Name, address and tax number at the top of statements; separate lines with |. Set it if you charge.',
  },
  INVOICE_NOTE: {
    schema: z.string().max(500).optional(),
    description: 'Note on statements, for example about tax. Set it if your law requires one.',
  },
  MAX_UPLOAD_BYTES: {
    schema: count(20 * 1024 ** 3),
    description: "Size of the largest video file. Raise it for longer or better originals that still fit on a worker's disk.",
  },
  MAX_VIDEO_HOURS: {
    schema: count(12),
    description: 'Length of the longest video. Raise it for day-long recordings; lower it to limit the work of one file.',
  },
  MAX_UNFINISHED_UPLOADS: {
    schema: count(20),
    description: "Unfinished uploads per account. Raise it if your customers' products create many upload URLs at once.",
  },
  ACCOUNT_STORAGE_BYTES: {
    schema: bytes.optional(),
    description:
      'Bytes that an account may store, unless support sets another limit. Set it to match your plans. Unset: half of the media volume, or 5 TB in a bucket.',
  },
  ACCOUNT_VIDEOS: {
    schema: count(10_000),
    description:
      'Videos per account, including deleted ones that can be restored, unless support sets another limit. Set it to match your plans.',
  },
  ACCOUNT_TRANSCRIBED_MINUTES: {
    schema: count(10_000),
    description:
      'Minutes of audio per account and month from which captions are generated, unless support sets another limit. Lower it if your engine costs money.',
  },
  TOTAL_STORAGE_BYTES: {
    schema: bytes.optional(),
    description:
      'Bytes that all accounts may store. Set it to what you want to pay for, above all with a bucket. Unset: until STORAGE_RESERVE_BYTES are left.',
  },
  STORAGE_RESERVE_BYTES: {
    schema: count(2 * 1024 ** 3, 0),
    description:
      'Free bytes on each volume of DATA_DIR below which uploads and transcoding wait. Raise it on volumes that other programs fill too.',
  },
  MAX_PENDING_VIDEOS: {
    schema: count(100),
    description:
      'Videos per account that wait for transcoding, plus unfinished uploads, unless support sets another limit. Raise it for bulk imports.',
  },
  FFMPEG_PATH: {
    schema: path.optional(),
    description:
      "Path of ffmpeg, with ffprobe next to it. Set it to choose a version or one with your encoder. Unset: the system's, or else the one from npm.",
  },
  FFMPEG_READS: {
    schema: list('').pipe(z.array(z.string().startsWith('/', 'Each path must begin with a slash.'))),
    description:
      "More files and folders that ffmpeg may read, comma-separated. Set it if the ffmpeg at FFMPEG_PATH has libraries outside the system's folders.",
  },
  TRANSCODE_CONCURRENCY: {
    schema: count(1),
    description: 'Chunks of video that a worker encodes at once. Raise it with a hardware encoder, or if chunks leave cores idle.',
  },
  TRANSCODE_THREADS: {
    schema: count(Math.min(16, cpus().length)),
    description: 'Threads per rendition. Lower it if workers share a machine or lack memory. Unset: one per core, at most 16.',
  },
  TRANSCODE_ENCODER: {
    schema: z.enum(['auto', 'x264', 'nvenc', 'vaapi', 'qsv']).default('x264'),
    description:
      'x264, nvenc (NVIDIA), vaapi or qsv (Intel, AMD), or auto: the first hardware encoder that works. Change it on all workers, if all have the hardware.',
  },
  TRANSCODE_REPLACE_DAMAGED: {
    schema: flag('false'),
    description: 'true: damaged parts become a still picture or silence. false: the video fails. Set true on all workers to accept damage.',
  },
  TRANSCODE_MEMORY_MB: {
    schema: z.coerce.number().int().min(256).optional(),
    description:
      'Address space of each ffmpeg. Raise it when a log says out of memory, or for a driver. Unset: 3,000, plus 350 for each of TRANSCODE_THREADS.',
  },
  AV1_AFTER_HOURS: {
    schema: hoursOrNever('20'),
    keepsEmpty: true,
    description:
      'Hours of watch time after which a video gets AV1 too. Lower it if bytes cost you more than processors. 0: all videos. Empty: none.',
  },
  SLOWER_PRESET_AFTER_HOURS: {
    schema: hoursOrNever('100'),
    keepsEmpty: true,
    description:
      'Hours of watch time after which x264 encodes again with preset medium. Lower it if bytes cost you more. 0: all. Empty: none.',
  },
  SPEECH_ENGINE: {
    schema: z.enum(['off', ...SPEECH_ENGINES]).optional(),
    description:
      'What turns speech into captions: off, whisper, http or pocketsphinx (docs/speech.md). Unset: http with SPEECH_URL, whisper with WHISPER_MODEL, or else off.',
  },
  WHISPER_MODEL: {
    schema: path.optional(),
    description:
      'Path of a Whisper model in ggml format, such as ggml-small.bin. Set it on all processes, with the file on each worker, to make captions without another server.',
  },
  SPEECH_URL: {
    schema: baseUrl.optional(),
    description:
      "Base URL of a server with OpenAI's transcription API, such as https://api.openai.com/v1. Set it on all processes to make captions there.",
  },
  SPEECH_API_KEY: {
    schema: z.string().min(1).optional(),
    description: 'API key for SPEECH_URL. Set it if that server requires one.',
  },
  SPEECH_MODEL: {
    schema: z.string().min(1).default('whisper-1'),
    description: 'Model that SPEECH_URL should use. Change it to one that the server offers and that gives the time of each word.',
  },
  SPEECH_ALLOWED_HOSTS: {
    schema: hostList,
    description: "Host that isn't public, or host:port, that SPEECH_URL may name, over http too. Set it for a server in your network.",
  },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/ }).optional(),
    description:
      'smtp://user:password@host:587, or smtps://…:465. Set it to send confirmations, invitations and alerts by email. Unset: no email, and links to copy.',
  },
  MAIL_FROM: {
    schema: z.string().min(3).optional(),
    description:
      'Sender of emails, such as Reelgate <video@example.com>. Set it to one that your mail server accepts. Unset: no-reply at the host of BASE_URL.',
  },
  OPERATOR_EMAIL: {
    schema: z.email().optional(),
    description:
      'Gets the emails that support staff get: quota requests and failed backups. Set it if you have no support staff, or for a shared mailbox.',
  },
  WEBHOOK_ALLOWED_HOSTS: {
    schema: hostList,
    description: "Hosts that aren't public, or host:port, that may receive webhooks, over http too. Set it for receivers in your network.",
  },
  IMPORT_ALLOWED_HOSTS: {
    schema: hostList,
    description: "Hosts that aren't public, or host:port, from which every account may import, over http too. Add only object stores.",
  },
  SEGMENT_MEMORY_MB: {
    schema: count(256),
    description: 'Memory of each web process for popular segments. Raise it if you have memory but no CDN; lower it on small machines.',
  },
  EVENT_RETENTION_DAYS: {
    schema: count(90),
    description: 'Days to keep webhook events and deliveries. Change it if law or contracts require it.',
  },
  TRAFFIC_RETENTION_MONTHS: {
    schema: z.coerce.number().int().min(13).optional(),
    description: 'Months, 13 or more, to keep daily counts of requests and plays. Set it if law requires it. Unset: forever.',
  },
  GITHUB_CLIENT_ID: {
    schema: z.string().optional(),
    description: 'Turns on sign-in with GitHub. Set it with GITHUB_CLIENT_SECRET; the callback is BASE_URL/api/auth/callback/github.',
  },
  GITHUB_CLIENT_SECRET: {
    schema: z.string().optional(),
    description: 'Client secret of the GitHub OAuth app. Set it with GITHUB_CLIENT_ID.',
  },
  GITHUB_URL: { schema: baseUrl.default('https://github.com'), description: 'URL of GitHub. Change it for GitHub Enterprise Server.' },
  GOOGLE_CLIENT_ID: {
    schema: z.string().optional(),
    description: 'Turns on sign-in with Google. Set it with GOOGLE_CLIENT_SECRET; the callback is BASE_URL/api/auth/callback/google.',
  },
  GOOGLE_CLIENT_SECRET: {
    schema: z.string().optional(),
    description: 'Client secret of the Google OAuth client. Set it with GOOGLE_CLIENT_ID.',
  },
  OIDC_ISSUER: {
    schema: baseUrl.optional(),
    description: 'Turns on sign-in with OpenID Connect. Set it with the next two; the callback is BASE_URL/api/auth/callback/oidc.',
  },
  OIDC_CLIENT_ID: { schema: z.string().optional(), description: 'Client ID at the OpenID Connect provider. Set it with OIDC_ISSUER.' },
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
      'assumed: accept addresses without the claim email_verified, as from Microsoft Entra ID. Choose it only if your directory assigns them. claim: refuse them.',
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
      'open, invitation, sso (OpenID Connect only), off, or email domains such as example.com,example.org. Change it to keep strangers from signing up.',
  },
  STAFF_SECOND_FACTOR: {
    schema: z.enum(['required', 'optional']).default('required'),
    description: "optional: support pages open with a password alone. Choose it only if your staff's provider asks for a second factor.",
  },
  LOG_LEVEL: {
    schema: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    description: 'Lowest level to log: debug, info, warn or error. Choose debug, which adds a line per request, to find a fault.',
  },
  ACCESS_LOG: {
    schema: z.enum(['off', 'errors', 'all']).default('errors'),
    description:
      'all: a JSON line per HTTP request on standard output, without secrets. errors: only for 500 and above. off: none; choose it if your proxy keeps a log.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: collectorUrl.optional(),
    description:
      'OpenTelemetry collector that gets traces by OTLP over HTTP, such as http://localhost:4318. Set it to trace (docs/monitoring.md). Unset: no traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    description: 'Share of requests to trace, from 0 to 1. Lower it when the collector gets too many.',
  },
} as const

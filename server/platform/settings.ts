import { availableParallelism, cpus } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseBackupUrl } from './backup/backup-url.ts'
import { isDatabaseUrl } from './database-url.ts'
import { baseUrl, collectorUrl, originUrl, requestUrl } from './setting-urls.ts'
import { parseMediaLocation } from './storage/media-location.ts'

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

/** Every setting, its default and its reason. `.env.example` is written from this table by `npm run env-example` and checked by a test. */
export const settings = {
  PORT: {
    schema: listenAddress.prefault('3000'),
    description: 'Port of the HTTP server. With an address, such as 127.0.0.1:3000, it listens there only.',
  },
  ADMIN_PORT: {
    schema: listenAddress.optional(),
    description:
      'Port of /metrics (Prometheus), /healthz and /readyz for operators, at 127.0.0.1 or at the address before it, such as 0.0.0.0:9400 in a container. It has no authentication and must not be public. Unset: no such port.',
  },
  DATA_DIR: {
    schema: path.default('.data').transform((dir) => resolve(dir)),
    description: 'Folder of the embedded database, stored media, unfinished uploads and the generated secret.',
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
      'S3 bucket of the media, as s3://bucket/prefix?endpoint=https://s3.example.com&region=us-east-1&pathStyle=true. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the role of the machine. partLimit=1000 is for a store that accepts fewer than 10,000 parts of an object, equalParts=true for one that requires parts of one size. Or a folder, as file:///path/to/media. Unset: DATA_DIR/media.',
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
      'Where a worker writes backups of the database and the media: the absolute path of an existing folder on another disk, or s3://bucket/prefix?endpoint=… as in STORAGE_URL. Each backup is proven by a restore. Unset: no scheduled backups. See docs/backups.md.',
  },
  BACKUP_AT: {
    schema: z
      .string()
      .default('03:10')
      .transform((list) => list.split(',').map((time) => time.trim()))
      .pipe(z.array(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter UTC times such as 03:10,15:10.')).nonempty()),
    description: 'With BACKUP_URL: UTC times of the daily backups, comma-separated, such as 03:10,15:10.',
  },
  BACKUP_KEEP: {
    schema: count(7),
    description: 'Number of backups that are kept. The newest proven one is kept in addition.',
  },
  BACKUP_MEDIA: {
    schema: z.enum(['copy', 'manifest']).default('copy'),
    description:
      'copy: backups contain the media; each object is copied once. manifest: they contain a list of the media with hashes, for a bucket that is replicated or versioned by other means.',
  },
  DATABASE_URL: {
    schema: databaseUrl,
    description:
      'Connection URL of PostgreSQL 14 or newer, or of PgBouncer 1.21 or newer in front of it. Several hosts, separated by commas: connections go to the primary among them. Unset: an embedded PostgreSQL in DATA_DIR.',
  },
  DATABASE_DIRECT_URL: {
    schema: databaseUrl,
    description:
      'With a pooler at DATABASE_URL: the same database without it, for change notices, jobs and migrations. Unset: DATABASE_URL.',
  },
  DATABASE_OWNER_URL: {
    schema: databaseUrl,
    description:
      'The same database, without a pooler and with the role that owns its tables. Migrations run with this role; the role of DATABASE_URL then only needs to read and write rows. Unset: the role of DATABASE_URL does both.',
  },
  MIGRATE_ON_START: {
    schema: z
      .enum(['true', 'false'])
      .default('true')
      .transform((value) => value === 'true'),
    description:
      'true: the first process of a new version brings the schema up to date. false: a process refuses to start until npm run operator -- migrate has done so.',
  },
  DATABASE_READ_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    description:
      'A streaming replica of the database, which serves usage, the account list of support staff and exports while it is at most 15 seconds behind. Unset, or while it is not usable: DATABASE_URL.',
  },
  DATABASE_POOL: {
    schema: count(20),
    description:
      'Maximum database connections of this process, in addition to five for the change listener, the job queue and /readyz. Of a web process half are for requests of the dashboard and of management, the others for tokens, playback and its own work.',
  },
  BASE_URL: {
    schema: originUrl.optional(),
    description: 'Public URL of the dashboard and of /v1, without a path. Unset: http://localhost:PORT.',
  },
  SDK_URL: { schema: originUrl.optional(), description: 'Public URL of the embed player, without a path. Unset: BASE_URL.' },
  PLAYER_CMCD: {
    schema: z.enum(['off', 'on']).default('off'),
    description:
      'on: the embed player adds its measurements (CTA-5004: buffer, bit rate, stalls, a random id of the session, the id of the video) to the query of playlist and segment requests, for the log of a CDN, which must leave CMCD out of its cache key.',
  },
  CDN_URL: {
    schema: baseUrl.optional(),
    description: 'Public URL of playlists, segments and keys; may be a CDN that pulls from /cdn. Unset: BASE_URL.',
  },
  CDN_ORIGIN: {
    schema: z.enum(['proxy', 'redirect', 'direct']).default('proxy'),
    description:
      'How segments are served. proxy: through web processes. redirect: web processes redirect to the bucket of STORAGE_URL. direct: playlists contain URLs below CDN_URL, which then is the public URL of that bucket or of a CDN in front of it; playlists and keys are served at BASE_URL.',
  },
  CDN_PURGE_URL: {
    schema: requestUrl.optional(),
    description:
      'URL that purges a video from the CDN when it is taken down or purged. generic: receives a POST with {"prefixes":["https://…/"]}. cloudflare: https://api.cloudflare.com/client/v4/zones/ZONE/purge_cache. bunny: https://api.bunny.net/purge. A host that is not public must be in WEBHOOK_ALLOWED_HOSTS. Unset: no purge.',
  },
  CDN_PURGE_TOKEN: {
    schema: z.string().min(1).optional(),
    description: 'Credential of CDN_PURGE_URL: the bearer token, or for bunny the access key.',
  },
  TRUST_PROXY: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
    description:
      'Set to true behind a reverse proxy that sets X-Forwarded-For, -Host and -Proto. Otherwise these headers are ignored, because any client could forge them to bypass limits on sign-in attempts and allowed addresses of API keys.',
  },
  ROLES: {
    schema: z
      .string()
      .default('web,worker')
      .transform((roles) => roles.split(',').map((role) => role.trim()))
      .pipe(z.array(z.enum(['web', 'worker'])).nonempty()),
    description: 'Roles of this process: web, worker, or both.',
  },
  WORKER_ACCOUNTS: {
    schema: z
      .string()
      .default('paid,free')
      .transform((list) => [...new Set(list.split(',').map((one) => one.trim()))].filter(Boolean))
      .refine((list) => list.every(isTier) || !list.some(isTier), 'Enter paid, free, both, or ids of accounts.'),
    description:
      'Accounts whose videos this worker transcodes: paid, free, or ids of accounts, comma-separated. Others wait for another worker.',
  },
  WEB_PROCESSES: {
    schema: z.union([z.literal('auto').transform(() => availableParallelism()), z.coerce.number().int().min(1).max(256)]).default(1),
    description:
      'Number of processes that serve HTTP on PORT, or auto: one per core. With more than one, this process supervises them and runs the worker and the embedded database. DATABASE_POOL and SEGMENT_MEMORY_MB are for each.',
  },
  DRAIN_SEC: {
    schema: z.coerce.number().int().min(0).max(3_600).default(10),
    description:
      'Seconds after SIGTERM during which this process still serves while /readyz returns 503, so that load balancers stop choosing it. Longer than the interval of their checks times the failures they require. Ctrl-C skips it.',
  },
  REELGATE_SECRET: {
    schema: z.string().min(32).optional(),
    description:
      'Root secret of at least 32 characters, from which the keys of sessions, signatures and stored content keys are derived. Unset: generated once into DATA_DIR/secret. Replicas must share it.',
  },
  REELGATE_SECRET_PREVIOUS: {
    schema: z.string().min(32).optional(),
    description: 'Previous root secret that is still accepted, to change REELGATE_SECRET without signing users out. See docs/operating.md.',
  },
  PLAYBACK_TOKEN_SECRETS: {
    schema: keyring,
    description:
      'Signing secrets of playback tokens as kid:secret,kid:secret. The first signs, all verify. To rotate: append the new secret on all processes, then move it to the front, and remove the old one 5 minutes later. Unset: derived from the root secret.',
  },
  MASTER_KEYS: {
    schema: keyring,
    description:
      'Secrets that encrypt stored content keys, as kid:secret,kid:secret. The first encrypts, all decrypt. To rotate: add a new secret at the front; workers re-encrypt everything within one hour and log when they are done, then remove the old one. Unset: derived from the root secret.',
  },
  PAID_DAILY_QUOTA: {
    schema: count(100_000),
    description: 'Playback tokens per key and UTC day on the paid tier, unless a higher quota was granted to the key.',
  },
  ACCOUNT_FREE_TOKENS: {
    schema: count(100_000),
    description:
      'Free playback tokens per account and UTC day over all of its keys, including revoked and test keys. Support staff can override it per account.',
  },
  SUPPORT_SECOND_APPROVAL_CREDITS: {
    schema: z.coerce.number().int().min(0).max(1_000_000_000).default(1_000),
    description:
      "Credits by which support staff may change an account's balance within 24 hours without approval. Larger changes require the approval of a second member of staff. 0: every change requires approval. The operator command is exempt.",
  },
  SUPPORT_CONTACT: {
    schema: z.string().min(3).max(200).optional(),
    description:
      'Contact for suspended users and members of suspended accounts: an email address or a URL. Unset: the text "the operator of this service".',
  },
  STRIPE_SECRET_KEY: {
    schema: z.string().min(1).optional(),
    description:
      'With STRIPE_WEBHOOK_SECRET: owners can top up their wallet through Stripe Checkout. Unset: only the operator can add credit.',
  },
  STRIPE_WEBHOOK_SECRET: {
    schema: z.string().min(1).optional(),
    description:
      'Signing secret (whsec_…) of the Stripe webhook. Webhook URL: BASE_URL/api/stripe. Events: checkout.session.completed, checkout.session.async_payment_succeeded, charge.refunded, refund.failed, charge.dispute.funds_withdrawn, charge.dispute.funds_reinstated.',
  },
  CREDIT_PRICE: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,8} [a-z]{3}$/, 'Enter an amount and a currency, such as 100 usd.')
      .default('100 usd'),
    description: 'Price of one credit through Stripe, in the smallest unit of its currency (cents).',
  },
  INVOICE_ISSUER: {
    schema: z.string().max(500).optional(),
    description: 'Issuer printed at the top of statements: name, address, tax number. Separate lines with |.',
  },
  INVOICE_NOTE: { schema: z.string().max(500).optional(), description: 'Note printed on statements, for example about tax.' },
  MAX_UPLOAD_BYTES: { schema: count(20 * 1024 ** 3), description: 'Maximum size of a video file in bytes.' },
  MAX_VIDEO_HOURS: {
    schema: count(12),
    description: 'Maximum duration of a video in hours. The file size does not limit it: one megabyte can hold a day.',
  },
  MAX_UNFINISHED_UPLOADS: {
    schema: count(20),
    description:
      'Maximum unfinished uploads per account. Canceled uploads, and those removed after 24 hours without a byte, no longer count.',
  },
  ACCOUNT_STORAGE_BYTES: {
    schema: bytes.optional(),
    description:
      'Maximum bytes stored per account: originals, renditions and unfinished uploads. Unset: half of the volume of DATA_DIR/media, or 5 TB with STORAGE_URL. Support staff can override this and the next two settings per account.',
  },
  ACCOUNT_VIDEOS: { schema: count(10_000), description: 'Maximum videos per account, including deleted ones that can be restored.' },
  TOTAL_STORAGE_BYTES: {
    schema: bytes.optional(),
    description: 'Maximum bytes stored by all accounts together. Unset: limited only by STORAGE_RESERVE_BYTES.',
  },
  STORAGE_RESERVE_BYTES: {
    schema: count(2 * 1024 ** 3, 0),
    description:
      'Free bytes reserved on every volume of DATA_DIR. Below it, uploads fail with 507 and transcoding pauses; everything else continues, and /readyz reports low storage.',
  },
  MAX_PENDING_VIDEOS: {
    schema: count(100),
    description:
      'Maximum videos per account that are queued or being transcoded, including unfinished uploads. Support staff can override it per account.',
  },
  FFMPEG_PATH: {
    schema: path.optional(),
    description: "Path of ffmpeg. Unset: the system's ffmpeg, otherwise the one installed by npm.",
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
      'Additional files and folders that ffmpeg may read, comma-separated, such as libraries, or programs that a wrapper in FFMPEG_PATH starts. Otherwise ffmpeg can read only its input, its work folder and the system.',
  },
  TRANSCODE_CONCURRENCY: {
    schema: count(1),
    description:
      'Chunks of video that one worker encodes concurrently, besides sound and one last step of a video. One chunk already uses every core.',
  },
  TRANSCODE_THREADS: {
    schema: count(Math.min(16, cpus().length)),
    description:
      'Threads for each rendition of a video, and for decoding it. Unset: one per core, at most 16, because each thread of each rendition needs memory.',
  },
  TRANSCODE_ENCODER: {
    schema: z.enum(['auto', 'x264', 'nvenc', 'vaapi', 'qsv']).default('x264'),
    description:
      'Encoder of the picture: x264 (processor), nvenc (NVIDIA), vaapi or qsv (Intel, AMD), or auto: the first hardware encoder of this machine that passes a test encode, otherwise x264. A hardware encoder that fails the test is replaced by x264 with a line in the log. Workers of one installation need the same encoder.',
  },
  TRANSCODE_REPLACE_DAMAGED: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
    description:
      'Whether parts of a video that cannot be decoded are replaced: by the last picture before them, and by silence. The video then states which. false: the video fails with the place of the damage. Workers of one installation need the same value.',
  },
  TRANSCODE_MEMORY_MB: {
    schema: z.coerce.number().int().min(256).optional(),
    description:
      'Maximum address space of each ffmpeg process in megabytes. A file that needs more fails. Unset: 3,000 plus 350 per TRANSCODE_THREADS, which is 25 % more than measured for the largest accepted HDR video.',
  },
  AV1_AFTER_HOURS: {
    schema: hoursOrNever('20'),
    keepsEmpty: true,
    description:
      'Hours for which viewers watch a video until it is encoded in AV1 as well, which needs about half the bytes and 3.4 times the processor time of H.264, while nothing else is being transcoded. 0: every video. Empty: none. See docs/codecs.md.',
  },
  SLOWER_PRESET_AFTER_HOURS: {
    schema: hoursOrNever('100'),
    keepsEmpty: true,
    description:
      'Hours for which viewers watch a video until it is encoded again with the preset medium of x264, to the same quality in about a tenth fewer bytes, while nothing else is being transcoded. 0: every video. Empty: none. See docs/codecs.md.',
  },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/ }).optional(),
    description:
      'Mail server, as smtp://user:password@host:587 (or smtps://…:465). Unset: no email is sent, invitations are links to copy, and forgotten passwords are reset with npm run operator -- reset-password.',
  },
  MAIL_FROM: {
    schema: z.string().min(3).optional(),
    description: 'Sender of emails, such as Reelgate <video@example.com>. Unset: no-reply at the host of BASE_URL.',
  },
  OPERATOR_EMAIL: {
    schema: z.email().optional(),
    description:
      'With SMTP_URL: additional recipient of what is emailed to support staff: requests for a higher quota, and backups that failed.',
  },
  WEBHOOK_ALLOWED_HOSTS: {
    schema: hosts,
    description:
      'Hosts (or host:port) that may receive webhooks although they are not public, including over http. Comma-separated, for development.',
  },
  IMPORT_ALLOWED_HOSTS: {
    schema: hosts,
    description:
      'Hosts (or host:port) from which videos may be imported although they are not public, including over http. Comma-separated. Every account can read from them: name object stores only.',
  },
  SEGMENT_MEMORY_MB: { schema: count(256), description: 'Memory of each web process for frequently requested segments, in megabytes.' },
  EVENT_RETENTION_DAYS: { schema: count(90), description: 'Days for which webhook events and their deliveries are kept.' },
  TRAFFIC_RETENTION_MONTHS: {
    schema: z.coerce.number().int().min(13).optional(),
    description:
      'Months for which daily counts of requests and plays are kept, at least 13. Unset: kept permanently. Hourly counts are kept for 35 days and the request log for 7.',
  },
  GITHUB_CLIENT_ID: {
    schema: z.string().optional(),
    description: 'With GITHUB_CLIENT_SECRET: users can sign in with GitHub. Callback URL to register: BASE_URL/api/auth/callback/github.',
  },
  GITHUB_CLIENT_SECRET: { schema: z.string().optional(), description: 'Client secret of the GitHub OAuth app.' },
  GITHUB_URL: { schema: baseUrl.default('https://github.com'), description: 'URL of GitHub. Change it for GitHub Enterprise Server.' },
  GOOGLE_CLIENT_ID: {
    schema: z.string().optional(),
    description: 'With GOOGLE_CLIENT_SECRET: users can sign in with Google. Callback URL to register: BASE_URL/api/auth/callback/google.',
  },
  GOOGLE_CLIENT_SECRET: { schema: z.string().optional(), description: 'Client secret of the Google OAuth client.' },
  OIDC_ISSUER: {
    schema: baseUrl.optional(),
    description:
      'With OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: users can sign in with this OpenID Connect provider. Callback URL to register: BASE_URL/api/auth/callback/oidc.',
  },
  OIDC_CLIENT_ID: { schema: z.string().optional(), description: 'Client id at the OpenID Connect provider.' },
  OIDC_CLIENT_SECRET: { schema: z.string().optional(), description: 'Client secret at the OpenID Connect provider.' },
  OIDC_NAME: {
    schema: z.string().max(40).default('single sign-on'),
    description: 'Name of the OpenID Connect provider on the sign-in button: "Continue with …".',
  },
  OIDC_EMAIL_VERIFIED: {
    schema: z.enum(['claim', 'assumed']).default('claim'),
    description:
      'Which email addresses of the OpenID Connect provider count as verified. claim: those for which it sends email_verified. assumed: also those for which it leaves the claim out, as Microsoft Entra ID does. Choose assumed only if users cannot enter any address they like at the provider.',
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
      'Who can sign up. open: all users. invitation: invited users. example.com,example.org: users with a confirmed email address at these domains, and invited users. sso: users of the OpenID Connect provider. off: nobody.',
  },
  STAFF_SECOND_FACTOR: {
    schema: z.enum(['required', 'optional']).default('required'),
    description: 'required: support staff can open the support pages only with two-factor sign-in. optional: a password is sufficient.',
  },
  LOG_LEVEL: {
    schema: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    description: 'Minimum level of log lines. debug adds one line per HTTP request.',
  },
  ACCESS_LOG: {
    schema: z.enum(['off', 'errors', 'all']).default('errors'),
    description:
      'Access log: one JSON line per HTTP request on standard output, without the secrets in its address. errors: only responses with a status of 500 or above. off: none.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: collectorUrl.optional(),
    description:
      'OpenTelemetry: address of a collector that receives traces by OTLP over HTTP, such as http://localhost:4318. Every other OTEL_EXPORTER_OTLP_ variable of the specification applies too. Unset: no traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    description: 'With a sampler named traceidratio: share of the traces that is recorded, from 0 to 1.',
  },
} as const

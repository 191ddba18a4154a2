import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'

/**
 * Every setting, its default and its reason; the only place that reads `process.env`. `.env.example` is written from this table by `npm run
 * env-example` and checked by a test.
 */
const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/(?<!\/)\/+$/, ''))
const count = (fallback: number, min = 1) => z.coerce.number().int().min(min).default(fallback)

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
      .refine((list) => new Set(list.map(({ kid }) => kid)).size === list.length, 'Each kid stands for one secret.')
      .optional(),
  )

export const settings = {
  PORT: { schema: z.coerce.number().int().min(1).max(65_535).default(3000), say: 'Port of the HTTP server.' },
  HOST: { schema: z.string().optional(), say: 'Address to listen on; unset means every address.' },
  DATA_DIR: {
    schema: z
      .string()
      .default('.data')
      .transform((dir) => resolve(dir)),
    say: 'Where the embedded database, stored media, unfinished uploads and the generated secret live.',
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    say: 'Any PostgreSQL 14 or newer. Unset: an embedded one is started in DATA_DIR.',
  },
  DATABASE_OWNER_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    say: 'The same database as the role that owns its tables: migrations run as it, and the role of DATABASE_URL then only reads and writes rows. Unset: the role of DATABASE_URL does both.',
  },
  DATABASE_POOL: {
    schema: count(20),
    say: 'Connections this process may hold, besides the five of its change listener, its job queue and /readyz.',
  },
  DATABASE_TIMEOUT_SEC: {
    schema: count(30),
    say: 'Seconds a statement may take, waiting for others included; then it is undone and the request is answered with 503.',
  },
  BASE_URL: { schema: url.optional(), say: 'Public address of the dashboard and of /v1. Unset: http://localhost:PORT.' },
  SDK_URL: { schema: url.optional(), say: 'Public address of the embed player. Unset: BASE_URL.' },
  CDN_URL: {
    schema: url.optional(),
    say: 'Public address of playlists, segments and keys; may be a CDN that pulls from /cdn. Unset: BASE_URL.',
  },
  TRUST_PROXY: {
    schema: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
    say: 'true when a reverse proxy in front writes X-Forwarded-For, -Host and -Proto. Otherwise those headers are ignored: anybody could send them, and get round the limits on sign-in attempts and the addresses that keys are bound to.',
  },
  ROLES: {
    schema: z
      .string()
      .default('web,worker')
      .transform((roles) => roles.split(',').map((role) => role.trim()))
      .pipe(z.array(z.enum(['web', 'worker'])).nonempty()),
    say: 'What this process does: web, worker, or both.',
  },
  REELGATE_SECRET: {
    schema: z.string().min(32).optional(),
    say: 'Root secret, 32 characters or more; sessions, signatures and stored content keys derive from it. Unset: generated once into DATA_DIR/secret. Replicas must share it.',
  },
  REELGATE_SECRET_PREVIOUS: {
    schema: z.string().min(32).optional(),
    say: 'Another root secret that is accepted as well, for changing REELGATE_SECRET without signing people out: see docs/operating.md.',
  },
  PLAYBACK_TOKEN_SECRETS: {
    schema: keyring,
    say: 'Signing secrets of playback tokens as kid:secret,kid:secret. The first signs, all verify. To rotate: add the new one last, everywhere; then put it first; 5 minutes later drop the old one. Unset: derived from the root secret.',
  },
  MASTER_KEYS: {
    schema: keyring,
    say: 'Secrets that seal stored content keys, as kid:secret,kid:secret. The first seals, all open. To rotate, put a new one first; workers seal everything under it within the hour (and say so), then the old one may go. Unset: derived from the root secret.',
  },
  PASSWORD_THREADS: {
    schema: count(Math.max(1, cpus().length - 1)),
    say: 'Threads of this process that hash passwords (32 MiB each while they do). Of further sign-ins 30 wait for each; then they are answered with 503. Unset: one less than there are cores.',
  },
  PAID_DAILY_QUOTA: {
    schema: count(100_000),
    say: 'Playback tokens per key and UTC day on the paid tier, unless an operator raised the key.',
  },
  ACCOUNT_FREE_TOKENS: {
    schema: count(100_000),
    say: 'Free playback tokens of one account in a UTC day, over all of its keys, revoked and test keys included. Support can set another value for one account.',
  },
  ACCOUNT_QUOTA_REQUESTS: {
    schema: count(5),
    say: 'Requests for a higher quota that one account may make in a UTC day; each is mailed. Support can set another value for one account.',
  },
  SUPPORT_SECOND_APPROVAL_CREDITS: {
    schema: z.coerce.number().int().min(0).max(1_000_000_000).default(1_000),
    say: "Credits by which support staff may change one account's balance within 24 hours without a second person. What goes beyond waits until another member of staff approves it. 0: everything waits. The operator's command is not bound by it.",
  },
  SUPPORT_CONTACT: {
    schema: z.string().min(3).max(200).optional(),
    say: 'Whom suspended people, and members of suspended accounts, are to contact: an e-mail address, or an address of a page. Unset: the operator of this service.',
  },
  STRIPE_SECRET_KEY: {
    schema: z.string().min(1).optional(),
    say: 'With STRIPE_WEBHOOK_SECRET: owners top up their wallet through Stripe Checkout. Unset: an operator gives credit.',
  },
  STRIPE_WEBHOOK_SECRET: {
    schema: z.string().min(1).optional(),
    say: 'Signing secret (whsec_…) of the webhook at Stripe. Its address: BASE_URL/api/stripe; events: checkout.session.completed, checkout.session.async_payment_succeeded, charge.refunded, refund.failed, charge.dispute.funds_withdrawn, charge.dispute.funds_reinstated.',
  },
  STRIPE_URL: { schema: url.default('https://api.stripe.com'), say: "Address of Stripe's API; another one for tests." },
  CREDIT_PRICE: { schema: count(100), say: 'What a credit costs through Stripe, in the smallest unit of CREDIT_CURRENCY (cents).' },
  CREDIT_CURRENCY: {
    schema: z
      .string()
      .regex(/^[a-z]{3}$/)
      .default('usd'),
    say: 'Currency of top-ups, three small letters.',
  },
  INVOICE_ISSUER: {
    schema: z.string().max(500).optional(),
    say: 'Who statements are from, printed at their head: name, address, tax number. Lines are parted by |.',
  },
  INVOICE_NOTE: { schema: z.string().max(500).optional(), say: 'A note printed on statements, such as how tax is dealt with.' },
  MAX_UPLOAD_BYTES: { schema: count(20 * 1024 ** 3), say: 'Largest video file accepted.' },
  MAX_VIDEO_HOURS: { schema: count(12), say: 'Longest video accepted; a file of a megabyte can last a day.' },
  MAX_UNFINISHED_UPLOADS: {
    schema: count(20),
    say: 'Uploads an account may have begun and not finished. One that is taken back, or removed after UPLOAD_EXPIRY_HOURS, makes room.',
  },
  ACCOUNT_STORAGE_BYTES: {
    schema: bytes.optional(),
    say: 'Bytes that one account may store: originals, renditions and unfinished uploads. Unset: half of the volume of DATA_DIR/media, so that no account takes the room of all others. Support can set another value for one account, as for the next two.',
  },
  ACCOUNT_VIDEOS: { schema: count(10_000), say: 'Videos that one account may have, deleted ones that can be restored included.' },
  ACCOUNT_UNFINISHED_BYTES: {
    schema: bytes.optional(),
    say: 'Bytes that the unfinished uploads of one account may announce together. Unset: a quarter of the volume of DATA_DIR/media.',
  },
  TOTAL_STORAGE_BYTES: {
    schema: bytes.optional(),
    say: 'Bytes that all accounts together may store. Unset: no bound but STORAGE_RESERVE_BYTES.',
  },
  TOTAL_VIDEOS: { schema: count(1_000_000), say: 'Videos that all accounts together may have.' },
  TOTAL_UNFINISHED_BYTES: {
    schema: bytes.optional(),
    say: 'Bytes that the unfinished uploads of all accounts may announce together. Unset: half of the volume of DATA_DIR/media.',
  },
  STORAGE_RESERVE_BYTES: {
    schema: count(2 * 1024 ** 3, 0),
    say: 'Free bytes that uploads leave on every volume of DATA_DIR. Below it they are refused with 507 and transcoding waits; everything else goes on, and /readyz says that storage is low.',
  },
  STORAGE_BALLAST_BYTES: {
    schema: count(128 * 1024 ** 2, 0),
    say: 'Size of DATA_DIR/ballast, given back step by step when something else fills the volume, so that the embedded database can go on writing. 0: none. Not used with DATABASE_URL.',
  },
  MAX_PENDING_VIDEOS: {
    schema: count(100),
    say: 'Videos of an account that may wait or be transcoded at a time, unfinished uploads included. Support can set another value for one account.',
  },
  MAX_VIDEO_GIGAPIXELS: {
    schema: count(6_000),
    say: 'Work that one video may be: its frames times its pixels, in billions. Unset: 6,000, which is 12 hours of 1080p at 60 frames a second, or 3 hours of 2160p.',
  },
  UPLOAD_MIN_BYTES_PER_SEC: {
    schema: count(1_024),
    say: 'Bytes a second that an upload must bring, as an average over UPLOAD_STALL_SEC. A slower one is answered with 408; its client goes on where it stopped.',
  },
  UPLOAD_STALL_SEC: { schema: count(30), say: 'Seconds over which the rate of an upload is measured, and for which it may pause.' },
  BODY_TIMEOUT_SEC: {
    schema: count(60),
    say: 'Seconds that the body of any request but an upload may take; then it is answered with 408.',
  },
  UPLOAD_EXPIRY_HOURS: { schema: count(24), say: 'An unfinished upload is kept this long after its last byte.' },
  FFMPEG_PATH: { schema: z.string().optional(), say: "ffmpeg to use. Unset: the system's, else the one that npm installed." },
  FFPROBE_PATH: { schema: z.string().optional(), say: "ffprobe to use. Unset: the system's, else the one that npm installed." },
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
      .pipe(z.array(z.string().startsWith('/', 'Each path begins with a slash.'))),
    say: 'Further files and folders that ffmpeg may read, comma-separated: libraries elsewhere, or what a wrapper named by FFMPEG_PATH starts. It sees nothing else but its input, its work folder and the system.',
  },
  TRANSCODE_CONCURRENCY: { schema: count(1), say: 'Videos transcoded at once by one worker; one pass already uses every core.' },
  TRANSCODE_THREADS: {
    schema: count(Math.min(16, cpus().length)),
    say: 'Threads for each rung of a film, and for decoding it. Unset: one a core, 16 at most; each takes memory, and the rungs are many.',
  },
  TRANSCODE_PATIENCE: {
    schema: count(40),
    say: 'Seconds a file may be transcoded for each second it lasts, after the first quarter of an hour; then it fails.',
  },
  TRANSCODE_MEMORY_MB: {
    schema: z.coerce.number().int().min(256).optional(),
    say: 'Address space each ffmpeg may take, megabytes; a file that makes it want more fails. Unset: 3,000 and 350 for each of TRANSCODE_THREADS, a quarter more than the largest picture accepted was seen to take, in HDR.',
  },
  PLAYBACK_SESSION_SEC: {
    schema: z.coerce.number().int().min(1).optional(),
    say: 'Lifetime of the playlist addresses of a playback session, in seconds. The embed player renews them; in other players a film longer than this stops. Unset: six hours, and twice the film at least.',
  },
  PLAYBACK_RENEWAL_SEC: {
    schema: count(24 * 3_600),
    say: 'For how long after its token was exchanged a playback session can be renewed by the player that is open, in seconds.',
  },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/ }).optional(),
    say: 'Mail server, as smtp://user:password@host:587 (or smtps://…:465). Unset: nothing is mailed, invitations are links to copy, and npm run operator -- reset-password replaces forgotten passwords.',
  },
  MAIL_FROM: {
    schema: z.string().min(3).optional(),
    say: 'Sender of mail, as Reelgate <video@example.com>. Unset: no-reply at the host of BASE_URL.',
  },
  OPERATOR_EMAIL: {
    schema: z.email().optional(),
    say: 'With SMTP_URL: where requests for a higher quota are mailed, besides support staff.',
  },
  KEY_URL_TTL_SEC: { schema: count(300), say: 'Lifetime of a signed AES key URL, in seconds.' },
  WEBHOOK_ALLOWED_HOSTS: {
    schema: z
      .string()
      .default('')
      .transform((list) =>
        list
          .split(',')
          .map((host) => host.trim().toLowerCase())
          .filter(Boolean),
      ),
    say: 'Hosts (or host:port) that webhooks may be sent to though they are not public, also by http; for development. Comma-separated.',
  },
  SEGMENT_MEMORY_MB: { schema: count(256), say: 'Memory of each web process for the segments that are watched most.' },
  WEBHOOK_CONCURRENCY: {
    schema: count(500),
    say: 'Webhook deliveries under way at once in one worker; at most 50 of them to one endpoint.',
  },
  EVENT_RETENTION_DAYS: { schema: count(90), say: 'Webhook events and their deliveries are kept this many days.' },
  GITHUB_CLIENT_ID: {
    schema: z.string().optional(),
    say: 'With GITHUB_CLIENT_SECRET: people may sign in with GitHub. Callback address to register there: BASE_URL/api/auth/callback/github.',
  },
  GITHUB_CLIENT_SECRET: { schema: z.string().optional(), say: 'Secret of the OAuth app at GitHub.' },
  GITHUB_URL: { schema: url.default('https://github.com'), say: 'Address of GitHub; another one for GitHub Enterprise Server.' },
  GOOGLE_CLIENT_ID: {
    schema: z.string().optional(),
    say: 'With GOOGLE_CLIENT_SECRET: people may sign in with Google. Callback address to register there: BASE_URL/api/auth/callback/google.',
  },
  GOOGLE_CLIENT_SECRET: { schema: z.string().optional(), say: 'Secret of the OAuth client at Google.' },
  OIDC_ISSUER: {
    schema: url.optional(),
    say: 'With OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: people may sign in with this OpenID Connect provider. Callback address to register there: BASE_URL/api/auth/callback/oidc.',
  },
  OIDC_CLIENT_ID: { schema: z.string().optional(), say: 'This service as the OpenID Connect provider knows it.' },
  OIDC_CLIENT_SECRET: { schema: z.string().optional(), say: 'Its secret there.' },
  OIDC_NAME: { schema: z.string().max(40).default('single sign-on'), say: 'What the button calls that provider: "Continue with …".' },
  SIGN_UP: {
    schema: z.enum(['open', 'invitation', 'domains', 'sso', 'off']).default('open'),
    say: 'Who may sign up. open: everybody. invitation: people whom a member invites. domains: addresses at SIGN_UP_DOMAINS, confirmed by mail or by a provider, and people who were invited. sso: through the OpenID Connect provider alone. off: no new people.',
  },
  SIGN_UP_DOMAINS: {
    schema: z
      .string()
      .default('')
      .transform((list) =>
        list
          .split(',')
          .map((domain) => domain.trim().toLowerCase())
          .filter(Boolean),
      )
      .pipe(
        z.array(
          z.string().regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/, 'A mail domain is written like example.com.'),
        ),
      ),
    say: 'With SIGN_UP=domains: mail domains, comma-separated, as example.com,example.org. Subdomains are listed on their own.',
  },
  STAFF_SECOND_FACTOR: {
    schema: z.enum(['required', 'optional']).default('required'),
    say: 'required: support staff see the support pages only with two-factor sign-in switched on for themselves. optional: a password is enough.',
  },
  REQUEST_LOG_PER_SECOND: {
    schema: count(20),
    say: "Successful calls of one account that this process writes to the dashboard's request log in a second; of more, a fair sample. Of refused ones ten times as many. Counters count every call.",
  },
  LOG_LEVEL: { schema: z.enum(['debug', 'info', 'warn', 'error']).default('info'), say: 'debug adds one line for every HTTP request.' },
} as const

type Parsed = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> }
type Derived = Record<'BASE_URL' | 'SDK_URL' | 'CDN_URL', string> & Record<'TRANSCODE_MEMORY_MB', number>
/** The settings as parsed, including those derived from others. */
export type Env = Omit<Parsed, keyof Derived> & Derived

let cached: Env | undefined

/** Returns the parsed settings. Throws one readable error that names every invalid setting (never its value: it may be a secret). */
export function env(): Env {
  if (cached) return cached
  const read = z.object(Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, schema])))
  const given = Object.fromEntries(Object.keys(settings).map((name) => [name, process.env[name] || undefined]))
  const result = read.safeParse(given)
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`Some settings cannot be used:\n${problems.join('\n')}`)
  }
  const parsed = result.data as Parsed
  const apart = conflictOf(parsed)
  if (apart) throw new Error(`Some settings cannot be used:\n  ${apart}`)
  const BASE_URL = parsed.BASE_URL ?? `http://localhost:${parsed.PORT}`
  const TRANSCODE_MEMORY_MB = parsed.TRANSCODE_MEMORY_MB ?? 3_000 + 350 * parsed.TRANSCODE_THREADS
  cached = { ...parsed, BASE_URL, SDK_URL: parsed.SDK_URL ?? BASE_URL, CDN_URL: parsed.CDN_URL ?? BASE_URL, TRANSCODE_MEMORY_MB }
  return cached
}

/** Returns a description of settings that are valid separately but conflict; undefined when none do. */
function conflictOf({ SIGN_UP, SIGN_UP_DOMAINS, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }: Parsed): string | undefined {
  if (SIGN_UP === 'domains' && SIGN_UP_DOMAINS.length === 0) return 'SIGN_UP: with domains, SIGN_UP_DOMAINS must list at least one.'
  if (SIGN_UP === 'sso' && !(OIDC_ISSUER && OIDC_CLIENT_ID && OIDC_CLIENT_SECRET))
    return 'SIGN_UP: with sso, OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set.'
  return undefined
}

/** Adds settings determined at start-up (the embedded database's address), shared with every module graph of this process. */
export function provide(values: Partial<Record<keyof typeof settings | 'NEXTAUTH_URL' | 'NEXTAUTH_SECRET', string>>): void {
  Object.assign(process.env, values)
  cached = undefined
}

/** Returns the environment for child processes: what programs need, and none of the service's settings, some of which are secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const needed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    needed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ) as NodeJS.ProcessEnv
}

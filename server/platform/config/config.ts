import '../text/schema-messages.ts'
import { existsSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { z } from 'zod'
import { services } from '../container.ts'
import { parseEnvFile } from './env-file.ts'
import { settings } from './settings.ts'

// No result may depend on the machine's time zone; `pg` and every local-time method of Date follow this one.
process.env.TZ = 'UTC'

type Parsed = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> }
/** Values derived from settings: defaults, and the parts of composite settings. */
interface Derived
  extends Record<'BASE_URL' | 'SDK_URL' | 'CDN_URL' | 'PLAYLIST_URL' | 'CREDIT_CURRENCY', string>,
    Record<'PORT' | 'CREDIT_PRICE' | 'TRANSCODE_MEMORY_MB' | 'AV1_MEMORY_MB', number> {
  HOST: string | undefined
  ADMIN_PORT: number | undefined
  ADMIN_HOST: string
  SIGN_UP: 'open' | 'invitation' | 'domains' | 'sso' | 'off'
  /** Email domains that SIGN_UP lists. */
  SIGN_UP_DOMAINS: string[]
}
/** The parsed settings, including derived ones, and values that a test provides. */
export type Env = Omit<Parsed, keyof Derived> & Derived & { testValues: TestValues }

/**
 * Prefix of variables that override constants in tests, also in a service built for production. They are not settings: an operator has no
 * reason to change them.
 */
const TEST_PREFIX = 'REELGATE_TEST_'
const TEST_VALUES = [
  'BALLAST_BYTES',
  'BODY_SEC',
  'DATABASE_WAIT_SEC',
  'KEY_URL_SEC',
  'SESSION_SEC',
  'STRIPE_URL',
  'UPLOAD_STALL_SEC',
] as const
type TestName = (typeof TEST_VALUES)[number]
type TestValues = Partial<Record<TestName, string>>

/** Returns what a test sets in place of a constant, otherwise undefined. */
export const testValue = (name: TestName): string | undefined => env().testValues[name]

declare module '../container.ts' {
  interface Services {
    settings: Env
  }
}

/** Returns the settings of this process's container. */
export const env = (): Env => services().settings

/**
 * Adds the settings of the file `.env` to the environment, which takes precedence. Returns warnings for the operator. Throws in words,
 * before setting any, if part of the file would be lost.
 */
export function loadEnvFile(file = '.env'): string[] {
  if (!existsSync(/* turbopackIgnore: true */ file)) return []
  try {
    const { values, warnings } = parseEnvFile(readFileSync(/* turbopackIgnore: true */ file), Object.keys(settings))
    for (const [name, value] of Object.entries(values)) process.env[name] ??= value
    return warnings
  } catch (error) {
    throw new Error(`The file ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Settings as text, as in the environment, and values for tests. An empty text unsets a setting, except where empty is a value. */
export type GivenSettings = Partial<Record<keyof typeof settings | `${typeof TEST_PREFIX}${TestName}`, string>>

/**
 * Parses the settings of the environment; `given` overrides them. Throws one readable error that names every invalid setting, but never its
 * value, which may be a secret.
 */
export function readSettings(given: GivenSettings = {}): Env {
  const read = z.object(Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, schema])))
  const names = Object.keys(settings) as (keyof typeof settings)[]
  const textOf = (name: keyof GivenSettings) => given[name] ?? process.env[name]
  const texts = Object.fromEntries(
    names.map((name) => {
      const text = textOf(name)
      return [name, text === '' && !('keepsEmpty' in settings[name]) ? undefined : text]
    }),
  )
  const testValues = Object.fromEntries(TEST_VALUES.map((name) => [name, textOf(`${TEST_PREFIX}${name}`) || undefined])) as TestValues
  const result = read.safeParse(texts)
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`Invalid settings:\n${problems.join('\n')}`)
  }
  const parsed = result.data as Parsed
  const apart = conflictOf(parsed)
  if (apart) throw new Error(`Invalid settings:\n  ${apart}`)
  const { host: HOST, port: PORT } = parsed.PORT
  const { host: ADMIN_HOST = '127.0.0.1', port: ADMIN_PORT } = parsed.ADMIN_PORT ?? { port: undefined }
  const BASE_URL = parsed.BASE_URL ?? `http://localhost:${PORT}`
  const TRANSCODE_MEMORY_MB = parsed.TRANSCODE_MEMORY_MB ?? 3_000 + 350 * parsed.TRANSCODE_THREADS
  // SVT-AV1 reserves three to six times the memory that it uses.
  const AV1_MEMORY_MB = Math.floor(Math.min(5 * TRANSCODE_MEMORY_MB, 2 * machineMegabytes()))
  const CDN_URL = parsed.CDN_URL ?? BASE_URL
  // A bucket holds neither playlists nor keys.
  const PLAYLIST_URL = parsed.CDN_ORIGIN === 'direct' ? BASE_URL : CDN_URL
  const [CREDIT_PRICE = '', CREDIT_CURRENCY = ''] = parsed.CREDIT_PRICE.split(' ')
  const isDomains = parsed.SIGN_UP.some((one) => one.includes('.'))
  return {
    ...parsed,
    ...{ PORT, HOST, ADMIN_PORT, ADMIN_HOST, BASE_URL, SDK_URL: parsed.SDK_URL ?? BASE_URL, CDN_URL, PLAYLIST_URL },
    ...{ TRANSCODE_MEMORY_MB, AV1_MEMORY_MB, CREDIT_PRICE: Number(CREDIT_PRICE), CREDIT_CURRENCY, testValues },
    SIGN_UP: isDomains ? 'domains' : (parsed.SIGN_UP[0] as Derived['SIGN_UP']),
    SIGN_UP_DOMAINS: isDomains ? parsed.SIGN_UP : [],
  }
}

/** Memory of the machine, or of the container if that is less. */
const machineMegabytes = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 1024 ** 2

/** Describes settings that are valid separately but conflict. Undefined when none do. */
function conflictOf(parsed: Parsed): string | undefined {
  const { SIGN_UP, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = parsed
  const { CDN_ORIGIN, STORAGE_URL, CDN_URL } = parsed
  const hasBucket = STORAGE_URL && 'bucket' in STORAGE_URL
  if (parsed.ADMIN_PORT?.port === parsed.PORT.port) return 'ADMIN_PORT: must differ from PORT, which is public.'
  if (CDN_ORIGIN !== 'proxy' && !hasBucket) return `CDN_ORIGIN: the value ${CDN_ORIGIN} requires STORAGE_URL with a bucket.`
  if (CDN_ORIGIN === 'direct' && !CDN_URL) return 'CDN_ORIGIN: the value direct requires CDN_URL, the public URL of the bucket.'
  if (SIGN_UP[0] === 'sso' && !(OIDC_ISSUER && OIDC_CLIENT_ID && OIDC_CLIENT_SECRET))
    return 'SIGN_UP: the value sso requires OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.'
  return undefined
}

/** Returns a setting's text in this process's environment. Undefined when its default applies. */
export const givenSetting = (name: keyof typeof settings): string | undefined => process.env[name] || undefined

/** Returns a warning for the operator if the environment names a proxy for outgoing requests, otherwise undefined. */
export function proxyWarning(): string | undefined {
  const name = Object.keys(process.env).find((one) => /^(?:https?|all)_proxy$/i.test(one) && process.env[one])
  return name && `${name} is ignored: this service connects directly to webhook receivers, to the servers of imports and to SPEECH_URL`
}

/** Sets the one value that a dependency takes only from the environment: next-auth reads its own address there. */
export function setNextAuthUrl(url: string): void {
  process.env.NEXTAUTH_URL = url
}

/** Returns the environment for child processes: what programs need, without the service's settings, some of which are secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const needed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    needed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ) as NodeJS.ProcessEnv
}

import { env, givenSetting } from '../../../platform/config/config.ts'
import { settings } from '../../../platform/config/settings.ts'
import { db } from '../../../platform/database/database.ts'
import { type OperatorCtx, requireCurrentOperator } from './roles.ts'

type SettingName = keyof typeof settings

/** A setting as this process has it. */
export interface SettingInForce {
  name: string
  description: string
  /** `default` also for a value that follows from other settings. */
  source: 'environment' | 'default'
  /** The value as text; null for a secret, and without a value. */
  value: string | null
  isSecret: boolean
  /** For a secret: whether it is set. */
  isSet: boolean
}

/** Settings that are or can contain a secret. A test compares them with the names of all settings. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set<SettingName>([
  'BACKUP_URL',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_READ_URL',
  'CDN_PURGE_URL',
  'CDN_PURGE_TOKEN',
  'REELGATE_SECRET',
  'REELGATE_SECRET_PREVIOUS',
  'PLAYBACK_TOKEN_SECRETS',
  'MASTER_KEYS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SPEECH_API_KEY',
  'SMTP_URL',
  'GITHUB_CLIENT_SECRET',
  'GOOGLE_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
])

/** Returns every setting of this process, without the values of secrets. Errors: as `requireCurrentOperator`. */
export async function settingsInForce(ctx: OperatorCtx): Promise<SettingInForce[]> {
  await requireCurrentOperator(db(), ctx)
  return (Object.keys(settings) as SettingName[]).map((name) => {
    const given = givenSetting(name)
    const isSecret = SECRET_SETTINGS.has(name)
    const value = isSecret ? null : withoutCredentials(given ?? textOf(env()[name]))
    const source = given === undefined ? 'default' : 'environment'
    return {
      name,
      description: settings[name].description,
      source,
      value,
      isSecret,
      isSet: isSecret ? given !== undefined : value !== null,
    }
  })
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return null
  if (Array.isArray(value)) return value.map(String).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const SECRET_PARAMETER = /key|secret|token|password|signature/i

/** Removes user names, passwords and parameters that look like credentials from a list of URLs. */
const withoutCredentials = (text: string | null) => text?.split(',').map(withoutCredentialsOf).join(',') ?? null

function withoutCredentialsOf(part: string): string {
  if (!part.includes('://') || !URL.canParse(part)) return part
  const url = new URL(part)
  const hidden = [...url.searchParams.keys()].filter((name) => SECRET_PARAMETER.test(name))
  if (!url.username && !url.password && hidden.length === 0) return part
  Object.assign(url, { username: '', password: '' })
  for (const name of hidden) url.searchParams.set(name, '…')
  return url.href
}

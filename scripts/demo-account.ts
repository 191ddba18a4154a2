import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { SCOPES } from '../server/scopes.ts'
import { Dashboard } from './demo-dashboard.ts'

/** What the demo creates, and what it prints as its last line. */
export interface DemoAccount {
  baseUrl: string
  email: string
  password: string
  /** Live, with the scope `video:read`. */
  apiKey: string
  /** Test, with every scope. */
  testKey: string
  videoId: string
}

/** An account's files in the current folder: `demo.json` for the next run, `demo.env` for a project that uses it. */
export interface DemoFiles {
  name: string
  account?: { account: DemoAccount; dashboard: Dashboard }
}

/** What a file states. The data folder tells apart services that had the same URL at different times. */
type Stored = DemoAccount & { dataDir?: string }

/**
 * Returns this service's files, and an earlier run's account with a session in it, if it can sign in. Keeps another service's files and
 * uses `demo-2`, `demo-3` and so on instead.
 */
export async function demoFiles(baseUrl: string, dataDir: string): Promise<DemoFiles> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'demo' : `demo-${number}`
    if (!existsSync(`${name}.json`)) return { name }
    const { dataDir: itsFolder = dataDir, ...stored }: Stored = JSON.parse(await readFile(`${name}.json`, 'utf8'))
    if (itsFolder !== dataDir) continue
    const account = { ...stored, baseUrl }
    const dashboard = await Dashboard.signIn(baseUrl, account.email, account.password).catch(() => undefined)
    if (dashboard) return { name, account: { account, dashboard } }
    // The same service without the account, because its data was deleted.
    if (stored.baseUrl === baseUrl) return { name }
  }
}

/**
 * Stores the account for the next run, and writes the settings of a project that uses it. Not `.env`, which the service reads as its own.
 */
export async function storeAccount(account: DemoAccount, { name, dataDir }: { name: string; dataDir: string }): Promise<void> {
  const { baseUrl, apiKey, testKey } = account
  const lines = [
    `REELGATE_URL=${baseUrl}`,
    '# A test key with every scope; it is never charged.',
    `REELGATE_API_KEY=${testKey}`,
    `REELGATE_TEST_KEY=${testKey}`,
    '# A live key with the scope video:read.',
    `REELGATE_LIVE_KEY=${apiKey}`,
  ]
  await writeFile(`${name}.env`, `${lines.join('\n')}\n`, { mode: 0o600 })
  await writeFile(`${name}.json`, `${JSON.stringify({ ...account, dataDir } satisfies Stored, undefined, 2)}\n`, { mode: 0o600 })
}

/** Returns `value` if it is a key that works, else a new key of the account. */
export async function workingKey(
  dashboard: Dashboard,
  { baseUrl, value, environment }: { baseUrl: string; value: string | undefined; environment: 'LIVE' | 'TEST' },
): Promise<string> {
  const headers = { 'x-service-key': value ?? '' }
  if (value && (await fetch(`${baseUrl}/v1/video?limit=1`, { headers })).ok) return value
  const live = environment === 'LIVE'
  const input = { name: live ? 'Demo' : 'Demo (test)', environment, scopes: live ? ['video:read'] : Object.keys(SCOPES) }
  return (await dashboard.mutate<{ value: string }>('key.create', input)).value
}

/** Returns `videoId` if the account still has this video and it did not fail, otherwise undefined. */
export async function presentVideo({ baseUrl, apiKey, videoId }: Pick<DemoAccount, 'baseUrl' | 'apiKey' | 'videoId'>) {
  const response = await fetch(`${baseUrl}/v1/video/${videoId}`, { headers: { 'x-service-key': apiKey } })
  const { data } = (await response.json()) as { data?: { status: string } }
  return data && data.status !== 'FAILED' ? videoId : undefined
}

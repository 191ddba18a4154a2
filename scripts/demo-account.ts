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

/** Where a run stores its account for the next one, in the current folder. */
const FILE = 'demo.json'

/** Returns the account of an earlier run and a session in it; undefined when there was none, or when it cannot sign in at this server. */
export async function earlierAccount(baseUrl: string): Promise<{ account: DemoAccount; dashboard: Dashboard } | undefined> {
  if (!existsSync(FILE)) return undefined
  const account: DemoAccount = { ...JSON.parse(await readFile(FILE, 'utf8')), baseUrl }
  try {
    return { account, dashboard: await Dashboard.signIn(baseUrl, account.email, account.password) }
  } catch {
    return undefined
  }
}

/** Stores the account for the next run, and writes the settings of a project that uses it. Not `.env`: the service reads that as its own. */
export async function storeAccount(account: DemoAccount): Promise<void> {
  const { baseUrl, apiKey, testKey } = account
  const lines = [
    `REELGATE_URL=${baseUrl}`,
    '# A test key with every scope; it is never charged.',
    `REELGATE_API_KEY=${testKey}`,
    `REELGATE_TEST_KEY=${testKey}`,
    '# A live key with the scope video:read.',
    `REELGATE_LIVE_KEY=${apiKey}`,
  ]
  await writeFile('demo.env', `${lines.join('\n')}\n`, { mode: 0o600 })
  await writeFile(FILE, `${JSON.stringify(account, undefined, 2)}\n`, { mode: 0o600 })
}

/** Returns `value` when it is a key that works, else a new key of the account. */
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

/** Returns `videoId` when the account still has this video and it did not fail; undefined otherwise. */
export async function presentVideo({ baseUrl, apiKey, videoId }: Pick<DemoAccount, 'baseUrl' | 'apiKey' | 'videoId'>) {
  const response = await fetch(`${baseUrl}/v1/video/${videoId}`, { headers: { 'x-service-key': apiKey } })
  const { data } = (await response.json()) as { data?: { status: string } }
  return data && data.status !== 'FAILED' ? videoId : undefined
}

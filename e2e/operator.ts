import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs `npm run operator -- …` on the data of the running server under test. Resolves with its output. */
export async function operator(...args: string[]): Promise<string> {
  const env = { ...process.env, DATA_DIR: process.env.REELGATE_E2E_DATA, DATABASE_URL: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../scripts/operator.ts'), ...args], { env })
  return stdout
}

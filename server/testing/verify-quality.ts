import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { childEnvironment } from '../platform/config.ts'
import { scorerProgram } from '../platform/ffmpeg-programs.ts'

const run = promisify(execFile)
const OFFLINE = `data:text/javascript,globalThis.fetch=()=>{throw Error('offline')}`
const COMMAND = join(import.meta.dirname, '../../sdk/bin/reelgate.mjs')

interface Given {
  source: string
  segments: string
  key: string
  jwks: string
}

/** Runs `reelgate verify-quality` without a connection. Returns its exit code and what it printed. */
export function verifyQuality(receipt: string, given: Given): Promise<{ code: number; said: string }> {
  const options = Object.entries({ ...given, ffmpeg: scorerProgram() ?? '' }).flatMap(([name, value]) => [`--${name}`, value])
  const args = ['--disable-warning=ExperimentalWarning', '--import', OFFLINE, COMMAND, 'verify-quality', receipt, ...options]
  return run(process.execPath, args, { env: childEnvironment() }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }) => ({ code, said: String(stderr) }),
  )
}

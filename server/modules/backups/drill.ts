import { fork } from 'node:child_process'
import { join } from 'node:path'
import { openBackupStore } from '../../platform/backup/backup-place.ts'
import type { BackupPlace } from '../../platform/backup/backup-url.ts'
import { backupPrefix } from '../../platform/backup/manifest.ts'
import { withThrowAwayFolder } from '../../platform/backup/throw-away-folder.ts'
import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { SERVICE } from '../audit/content-access.ts'
import { receiptFile, signReceipt } from '../audit/receipts/sign.ts'
import { type DrillAnswer, type DrillRequest, drillSettings } from './drill-request.ts'
import type { Proof } from './prove.ts'
import { recordDrill } from './records.ts'

const PROGRAM = join(import.meta.dirname, '../../drill.ts')

/** How many random segments a drill decrypts and decodes by default. */
export const DRILL_SEGMENTS = 20

interface Drilled {
  place: BackupPlace
  backupId: string
  segments: number
  signal: AbortSignal
}

/** Restores a backup in its own process, at the lowest priority, and checks it. Rejects if the drill could not run. */
export function drillBackup({ place, backupId, segments, signal }: Drilled): Promise<Proof> {
  return withThrowAwayFolder(async (folder) => {
    const location = env().STORAGE_URL
    const media: DrillRequest['media'] =
      location && 'bucket' in location ? { bucket: location } : { folder: location?.folder ?? join(env().DATA_DIR, 'media') }
    const answer = await ask({ backupId, place, segments, media, settings: drillSettings(folder) }, signal)
    if ('error' in answer) throw new Error(`The drill could not run: ${answer.error}`)
    return answer.proof
  })
}

/** Node's warnings are not errors of the drill. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning']

/** Runs the drill's process to its end. */
async function ask(request: DrillRequest, signal: AbortSignal): Promise<DrillAnswer> {
  signal.throwIfAborted()
  const child = fork(PROGRAM, [], { execArgv: NODE_OPTIONS, serialization: 'json', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const stop = () => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  try {
    const ended = new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(message))
      child.once('exit', (code, killedBy) => resolve(`its process ended with ${code ?? killedBy}`))
    })
    const answered = new Promise<DrillAnswer>((resolve) => child.once('message', (message) => resolve(message as DrillAnswer)))
    child.send(request)
    const answer = await Promise.race([answered, ended.then((error): DrillAnswer => ({ error }))])
    // It removes its database before it ends.
    await ended
    signal.throwIfAborted()
    return answer
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Maximum number of faults that a receipt lists. */
const NAMED = 20

/**
 * Signs a drill's receipt, records it, and stores it next to the backup. Returns it as a compact JWS. The receipt's `account` is the
 * installation's ID.
 */
export async function receiveProof(place: BackupPlace, proof: Proof): Promise<string> {
  const id = newId('rcp')
  const [row] = await query<{ id: string }>('backup-installation', 'SELECT id FROM installation WHERE id IS NOT NULL', [])
  const { backupId, snapshotAt, passed, faults, figures } = proof
  const facts = { passed, snapshotAt, figures, faults: faults.slice(0, NAMED), faultCount: faults.length }
  const jws = await signReceipt(SERVICE, { id, kind: 'backup.drill', accountId: row?.id ?? '', subject: backupId, facts })
  await recordDrill({ id, ...proof, jws })
  const store = await openBackupStore(place)
  await store.put(`${backupPrefix(backupId)}${id}.json`, Buffer.from(receiptFile(SERVICE, jws).content))
  return jws
}

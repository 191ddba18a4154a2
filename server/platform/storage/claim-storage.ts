import { query, type Runner, transaction } from '../database/database.ts'
import { newId } from '../secrets/crypto.ts'
import { MARKER, MOVED, readMarker, rememberInstallation } from './installation-marker.ts'
import { readMove } from './media-move.ts'
import { ownLocation, storage } from './storage.ts'

interface Installation {
  id: string
  claimed: boolean
}

const ADOPT = 'If you moved or restored media on purpose, run npm run operator -- adopt-storage.'

/**
 * Compares the media storage's installation with the database's. The first start writes the marker. Throws in words for the operator if the
 * storage has another marker, or has lost its marker: an unmounted volume, or another machine's disk.
 */
export async function claimStorage(): Promise<void> {
  const store = storage()
  const id = await withInstallation(async (on, { id, claimed }) => {
    const found = await readMarker(store)
    if (found?.startsWith(MOVED))
      throw new Error(`the media was ${found}. Set STORAGE_URL to that location${found.endsWith(' disk') ? ': remove it' : ''}.`)
    if (found !== undefined && found !== id)
      throw new Error(`the media storage and the database belong to different installations. ${ADOPT}`)
    if (found === undefined && claimed)
      throw new Error(
        `the media storage does not belong to this installation: it lacks the object "${MARKER}". Check that its volume is mounted; processes on several machines need STORAGE_URL or a shared DATA_DIR. ${ADOPT}`,
      )
    if (found === undefined) await store.put(MARKER, Buffer.from(id))
    if (!claimed) await setClaimed(on)
    return id
  })
  await checkMove()
  rememberInstallation(id)
}

/** Refuses a third location while media moves from one to another. */
async function checkMove(): Promise<void> {
  const move = await readMove()
  if (move && ![move.source, move.target].includes(ownLocation()))
    throw new Error(`the media is being moved from ${move.source} to ${move.target}, and STORAGE_URL names neither.`)
}

/** Claims the media storage for this installation, whatever its marker says. */
export async function adoptStorage(): Promise<void> {
  await withInstallation(async (on, { id }) => {
    await storage().put(MARKER, Buffer.from(id))
    await setClaimed(on)
  })
}

const CLAIM_LOCK = 72_707_374

/** Calls `work` with the installation under a lock, so that only one of two first starts writes its marker. */
async function withInstallation<Result>(work: (on: Runner, installation: Installation) => Promise<Result>): Promise<Result> {
  // Stored before the marker, which without its row would belong to another installation.
  await query('installation-name', 'UPDATE installation SET id = $1 WHERE id IS NULL', [newId('ins')])
  return transaction(async (on) => {
    // Not that of the row, for which every end of playback would wait while the storage responds.
    await query('installation-lock', 'SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK], on)
    const [row] = await query<Installation & { [column: string]: unknown }>(
      'installation',
      'SELECT id, claimed_at IS NOT NULL AS claimed FROM installation WHERE id IS NOT NULL',
      [],
      on,
    )
    return work(on, row as Installation)
  })
}

const setClaimed = (on: Runner) => query('installation-claim', 'UPDATE installation SET claimed_at = service_clock()', [], on)

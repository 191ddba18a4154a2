import { z } from 'zod'
import { isSignedFor, signFor } from '../config/secrets.ts'
import { sha256 } from '../secrets/crypto.ts'
import type { Storage } from '../storage/storage-port.ts'
import { BackupFault } from './backup-fault.ts'
import { databaseDump } from './dump.ts'
import { partSchema, readWhole } from './parts.ts'

const FORMAT = 'reelgate-backup-1'

const mediaList = z.object({
  /** `copy`: the objects are below `media/` in the place. `manifest`: they are only in the installation's media storage. */
  mode: z.enum(['copy', 'manifest']),
  /** One line of JSON for each video (server/modules/backups/media-list.ts). */
  list: z.array(partSchema),
  videos: z.number().int(),
  objects: z.number().int(),
  bytes: z.number().int(),
  /** This backup copied these; earlier ones had copied the others. */
  copied: z.object({ objects: z.number().int(), bytes: z.number().int() }),
})

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  id: z.string().regex(/^bkp_\w{1,60}$/),
  /** Version of Reelgate. */
  version: z.string(),
  installation: z.string(),
  startedAt: z.iso.datetime(),
  /** Fingerprints of the keys that the data needs, by ring. Each is an HMAC, never a secret. */
  secrets: z.record(z.string(), z.string()),
  database: databaseDump,
  media: mediaList,
})

/** What a backup contains, with the hash of each part. */
export type Manifest = z.output<typeof manifestSchema>

const BACKUPS = 'backups/'
const PURPOSE = 'backup'

/** Prefix of one backup's objects. */
export const backupPrefix = (id: string) => `${BACKUPS}${id}/`
const manifestKey = (id: string) => `${backupPrefix(id)}manifest.json`
/** Written last: its presence makes a backup complete. */
const signatureKey = (id: string) => `${backupPrefix(id)}signature`

/** Stores the manifest, then its signature: an HMAC of its hash under the root secret. Returns the manifest with its format. */
export async function storeManifest(store: Storage, contents: Omit<Manifest, 'format'>): Promise<Manifest> {
  const manifest: Manifest = { format: FORMAT, ...contents }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  await store.put(manifestKey(manifest.id), text)
  await store.put(signatureKey(manifest.id), Buffer.from(`${signFor(PURPOSE, sha256(text).toString('hex'))}\n`))
  return manifest
}

/** Reads the manifest of a backup. Errors: BackupFault if it is missing, incomplete or in another format. */
export async function readManifest(store: Storage, id: string): Promise<{ manifest: Manifest; text: Buffer; signature: string }> {
  const text = await readWhole(store, manifestKey(id))
  const signature = (await readWhole(store, signatureKey(id))).toString().trim()
  const parsed = manifestSchema.safeParse(jsonOf(text))
  if (!parsed.success) throw new BackupFault(`the manifest is not of the format ${FORMAT}`)
  if (parsed.data.id !== id) throw new BackupFault(`the manifest belongs to the backup ${parsed.data.id}`)
  return { manifest: parsed.data, text, signature }
}

/** Compares a manifest with its signature. Call it once you know that this root secret made the backup. Errors: BackupFault. */
export function checkSignature({ text, signature }: { text: Buffer; signature: string }): void {
  if (!isSignedFor(PURPOSE, sha256(text).toString('hex'), signature))
    throw new BackupFault('the manifest was changed: its signature does not match its content')
}

function jsonOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

/** Returns the IDs of the backups in a place, oldest first: complete ones, and what interrupted ones left. */
export async function listBackups(store: Storage): Promise<{ whole: string[]; partial: string[] }> {
  const ids = new Map<string, boolean>()
  for await (const key of store.list(BACKUPS)) {
    const id = key.split('/')[1] ?? ''
    ids.set(id, ids.get(id) === true || key === signatureKey(id))
  }
  const of = (whole: boolean) => [...ids].filter(([, is]) => is === whole).map(([id]) => id)
  return { whole: of(true).sort(), partial: of(false).sort() }
}

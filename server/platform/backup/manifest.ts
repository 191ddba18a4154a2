import { z } from 'zod'
import { isSignedFor, signFor } from '../config/secrets.ts'
import { sha256 } from '../secrets/crypto.ts'
import type { Storage } from '../storage/storage-port.ts'
import { BackupFault } from './backup-fault.ts'
import { databaseDump } from './dump.ts'
import { partSchema, readWhole } from './parts.ts'

const FORMAT = 'reelgate-backup-1'

const mediaList = z.object({
  /** `copy`: the objects are below `media/` of the place. `manifest`: they are in the installation's media storage alone. */
  mode: z.enum(['copy', 'manifest']),
  /** One line of JSON for each video (server/modules/backups/media-list.ts). */
  list: z.array(partSchema),
  videos: z.number().int(),
  objects: z.number().int(),
  bytes: z.number().int(),
  /** Copied by this backup; the others were there. */
  copied: z.object({ objects: z.number().int(), bytes: z.number().int() }),
})

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  id: z.string().regex(/^bkp_\w{1,60}$/),
  /** Version of Reelgate. */
  version: z.string(),
  installation: z.string(),
  startedAt: z.iso.datetime(),
  /** Fingerprints of the keys that the data needs, by ring: an HMAC each, never a secret. */
  secrets: z.record(z.string(), z.string()),
  database: databaseDump,
  media: mediaList,
})

/** The contents of a backup, with the hash of each part. */
export type Manifest = z.output<typeof manifestSchema>

const BACKUPS = 'backups/'
const PURPOSE = 'backup'

/** Prefix of the objects of one backup. */
export const backupPrefix = (id: string) => `${BACKUPS}${id}/`
const manifestKey = (id: string) => `${backupPrefix(id)}manifest.json`
/** Its presence makes a backup whole: it is written last. */
const signatureKey = (id: string) => `${backupPrefix(id)}signature`

/** Stores the manifest, then its signature: an HMAC under the root secret over its hash. Returns it with its format. */
export async function storeManifest(store: Storage, contents: Omit<Manifest, 'format'>): Promise<Manifest> {
  const manifest: Manifest = { format: FORMAT, ...contents }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  await store.put(manifestKey(manifest.id), text)
  await store.put(signatureKey(manifest.id), Buffer.from(`${signFor(PURPOSE, sha256(text).toString('hex'))}\n`))
  return manifest
}

/** Returns the manifest of a backup. Errors: BackupFault where it is missing, incomplete or of another format. */
export async function readManifest(store: Storage, id: string): Promise<{ manifest: Manifest; text: Buffer; signature: string }> {
  const text = await readWhole(store, manifestKey(id))
  const signature = (await readWhole(store, signatureKey(id))).toString().trim()
  const parsed = manifestSchema.safeParse(jsonOf(text))
  if (!parsed.success) throw new BackupFault(`the manifest is not of the format ${FORMAT}`)
  if (parsed.data.id !== id) throw new BackupFault(`the manifest is that of the backup ${parsed.data.id}`)
  return { manifest: parsed.data, text, signature }
}

/** Compares a manifest with its signature. Errors: BackupFault. Call it once the root secret is known to be that of the backup. */
export function checkSignature({ text, signature }: { text: Buffer; signature: string }): void {
  if (!isSignedFor(PURPOSE, sha256(text).toString('hex'), signature))
    throw new BackupFault('the manifest was changed: its signature is of another content')
}

function jsonOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

/** Returns the ids of the backups in a place, oldest first: the whole ones, and what interrupted ones left. */
export async function listBackups(store: Storage): Promise<{ whole: string[]; partial: string[] }> {
  const ids = new Map<string, boolean>()
  for await (const key of store.list(BACKUPS)) {
    const id = key.split('/')[1] ?? ''
    ids.set(id, ids.get(id) === true || key === signatureKey(id))
  }
  const of = (whole: boolean) => [...ids].filter(([, is]) => is === whole).map(([id]) => id)
  return { whole: of(true).sort(), partial: of(false).sort() }
}

import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileStore } from '@tus/file-store'
import { z } from 'zod'
import { db } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { processWide } from '../infra/process-wide.ts'
import { uploadInput } from './schema.ts'

/** Uploads under way: for each `<id>` its bytes so far, and `<id>.json` saying what it is. */
export const uploadFolder = () => join(env().DATA_DIR, 'uploads')
export const uploadStore = () => processWide('upload-store', () => new UploadStore({ directory: uploadFolder() }))

/** An upload that its client takes back makes room for another before the client hears of it. */
class UploadStore extends FileStore {
  override async remove(id: string): Promise<void> {
    await super.remove(id)
    await leavePlace(id)
  }
}

/** What stands with an upload from its first moment: whose it is and which video it will be. */
export const ticketFields = uploadInput.extend({ filename: z.string(), accountId: z.string(), videoId: z.string() })
export type Ticket = z.output<typeof ticketFields> & {
  id: string
  /** Bytes announced; undefined while the client has not said. */
  size: number | undefined
}

export const isUploadId = (id: string) => /^[0-9a-f]{32}$/.test(id)
export const uploadPath = (id: string) => join(uploadFolder(), id)

/** The ticket of an upload, also of one that has become a video; undefined when there is none. */
export async function readTicket(id: string): Promise<Ticket | undefined> {
  if (!isUploadId(id)) return undefined
  const info = await uploadStore().configstore.get(id)
  const fields = ticketFields.safeParse(info?.metadata)
  return info && fields.success ? { ...fields.data, id, size: info.size } : undefined
}

/** Bytes received; undefined when the file is not there (any more). */
export async function receivedBytes(id: string): Promise<number | undefined> {
  const found = await stat(uploadPath(id)).catch(() => undefined)
  return found?.size
}

/** The account may begin another one in its place. */
const leavePlace = (id: string) => db().upload.deleteMany({ where: { id } })

/** Removes an upload: its bytes, and its ticket unless that is to tell a client who lost our answer that all is done. */
export async function removeUpload(id: string, { keepTicket = false } = {}): Promise<void> {
  await leavePlace(id)
  await rm(uploadPath(id), { force: true })
  if (!keepTicket) await rm(`${uploadPath(id)}.json`, { force: true })
}

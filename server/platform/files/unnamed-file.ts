import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../secrets/crypto.ts'

/** Opens a file in `folder` and removes its name: the system frees its space when the process ends, however it ends. */
export async function openUnnamedFile(folder: string): Promise<FileHandle> {
  await mkdir(/* turbopackIgnore: true */ folder, { recursive: true })
  const path = join(/* turbopackIgnore: true */ folder, `.${newId('tmp')}`)
  const file = await open(/* turbopackIgnore: true */ path, 'wx+', 0o600)
  await rm(/* turbopackIgnore: true */ path)
  return file
}

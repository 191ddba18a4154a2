import { storage } from '../../../platform/storage/storage.ts'
import { HEAD_BYTES, usualEnding } from '../../transcoding/probe/container.ts'
import { filenameOf } from './filename.ts'

/** With a letter, as the end of “Lesson 1.25” is none. */
const ENDING = /\.(?=\d*[a-z])[a-z\d]{2,8}$/i

/** Returns the name under which an original is downloaded: one without an ending, as of `curl -T`, gets that of its container. */
export async function originalName({ sourceName, sourceKey }: { sourceName: string; sourceKey: string }, bytes: number): Promise<string> {
  const name = filenameOf(sourceName)
  if (ENDING.test(name) || bytes === 0) return name
  const head: Uint8Array[] = []
  for await (const chunk of storage().read(sourceKey, { start: 0, end: Math.min(bytes, HEAD_BYTES) - 1 })) head.push(chunk)
  const ending = usualEnding(Buffer.concat(head))
  return ending ? `${name}.${ending}` : name
}

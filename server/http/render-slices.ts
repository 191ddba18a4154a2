import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { etagOfDigest } from '../platform/network/etag.ts'

/** Milliseconds of a slice. */
const SLICE_MS = 10

/**
 * Returns a list's envelope as `JSON.stringify` writes it, and its validator, in slices of `SLICE_MS` between which other requests get
 * their turn: a page of videos with all the metadata they can have is 30 MB.
 */
export async function renderInSlices(
  data: readonly unknown[],
  extra: Record<string, unknown> | undefined,
  now = () => performance.now(),
): Promise<{ json: Buffer; etag: string }> {
  const hash = createHash('sha256')
  const parts: Buffer[] = []
  const add = (text: string) => {
    const part = Buffer.from(text)
    hash.update(part)
    parts.push(part)
  }
  let end = now() + SLICE_MS
  let separator = '{"success":true,"data":['
  for (const item of data) {
    add(`${separator}${JSON.stringify(item)}`)
    separator = ','
    if (now() < end) continue
    await nextTurn()
    end = now() + SLICE_MS
  }
  const rest = JSON.stringify({ ...extra }).slice(1)
  add(rest === '}' ? ']}' : `],${rest}`)
  return { json: Buffer.concat(parts), etag: etagOfDigest(hash.digest()) }
}

import { readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { contentName } from '../server/modules/transcoding/encode/segment-store.ts'
import type { Child } from './child.ts'
import type { Row } from './report.ts'

/** More than the server caches. */
const SEGMENTS = 160
/** Rounds until everything that is kept is warm: connections, buffers of the allocator. */
const WARM = 4
const PASSES = 24
const AT_ONCE = 64
const SLOW = 200

/** Creates more segments than the server caches, equal to the one at `path` but for their last bytes, next to it. Returns their names. */
export async function manySegments(path: string): Promise<string[]> {
  const content = await readFile(path)
  const names: string[] = []
  for (let at = 0; at < SEGMENTS; at++) {
    content.writeUInt32BE(at, content.length - 4)
    const name = contentName(content)
    names.push(name)
    await writeFile(join(dirname(path), `${name}.ts`), content)
  }
  return names
}

/**
 * Measures the memory of serving segments: after each of many was sent a few times, and after all were sent again and again, with slow
 * readers among the clients.
 */
export async function benchSegmentMemory(server: Child, address: string, names: readonly string[]): Promise<Row> {
  let megabytes = 0
  const pass = async () => {
    const left = [...names]
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const response = await fetch(`${address}/${next}.ts`)
          if (response.status !== 200) throw new Error(`A segment request returned ${response.status}.`)
          megabytes += (await response.arrayBuffer()).byteLength / 1e6
        }
      }),
    )
  }
  const memory = async () => (await server.ask<{ rss: number }>('heap')).rss / 2 ** 20
  for (let made = 0; made < WARM; made++) await pass()
  const before = await memory()
  megabytes = 0
  // They read the beginning and no more.
  const slow = names.flatMap((one) => [one, one]).slice(0, SLOW)
  const requests = slow.map((one) => get(`${address}/${one}.ts`, { agent: false }, (response) => response.pause()).on('error', () => {}))
  for (let made = 0; made < PASSES; made++) await pass()
  for (const request of requests) request.destroy()
  const after = await memory()
  return {
    work: `memory after another ${(megabytes / 1_000).toFixed(1)} GB of segments`,
    baseline: 'after a few passes',
    rate: after,
    ceiling: before,
    ratio: after / before,
    reach: 1.2,
    below: true,
    unit: 'MiB',
  }
}

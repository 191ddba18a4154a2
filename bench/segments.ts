import { copyFile } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import type { Child } from './child.ts'
import type { Row } from './report.ts'

/** More than the server keeps in memory. */
const SEGMENTS = 160
const PASSES = 12
const AT_ONCE = 64
const SLOW = 200

/** What serving segments costs in memory: after each of many was sent once, and after all of them went out again and again, slow readers among those who ask. */
export async function benchSegmentMemory(
  server: Child,
  { address, path, name }: { address: string; path: string; name: string },
): Promise<Row> {
  const names: string[] = []
  let megabytes = 0
  for (let made = 0; made < SEGMENTS; made++) {
    const copy = `${name.slice(0, -4)}${String(made).padStart(4, '0')}`
    await copyFile(path, join(dirname(path), `${copy}.ts`))
    names.push(copy)
  }
  const pass = async () => {
    const left = [...names]
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const response = await fetch(`${address}/${next}.ts`)
          if (response.status !== 200) throw new Error(`A segment was answered ${response.status}.`)
          megabytes += (await response.arrayBuffer()).byteLength / 1e6
        }
      }),
    )
  }
  const memory = async () => (await server.ask<{ rss: number }>('heap')).rss / 2 ** 20
  await pass()
  const before = await memory()
  // They take the beginning and no more.
  const slow = names.flatMap((one) => [one, one]).slice(0, SLOW)
  const requests = slow.map((one) => get(`${address}/${one}.ts`, { agent: false }, (response) => response.pause()).on('error', () => {}))
  for (let made = 0; made < PASSES; made++) await pass()
  for (const request of requests) request.destroy()
  const after = await memory()
  return {
    work: `memory after ${(megabytes / 1_000).toFixed(1)} GB of segments`,
    beside: 'after the first of each',
    rate: after,
    ceiling: before,
    ratio: after / before,
    reach: 1.2,
    below: true,
    unit: 'MiB',
  }
}

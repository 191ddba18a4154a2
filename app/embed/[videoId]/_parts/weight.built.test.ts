import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

/** KiB of all scripts of the player's page, as sent, compressed; of the texts the language of the most bytes. */
const BUDGET = 200
const built = join(import.meta.dirname, '../../../../public/player')

it(`the player's page has at most ${BUDGET} KiB of JavaScript`, () => {
  const scripts = globSync('{player,playback,controls,watermark,transcript}-*.js', { cwd: built })
  expect(scripts).toHaveLength(5)
  const weights = scripts.map((name) => [name, gzipSync(readFileSync(join(built, name))).byteLength / 1024] as const)
  const texts = globSync('texts-*.js', { cwd: built })
  expect(texts).toHaveLength(5)
  const language = Math.max(...texts.map((name) => gzipSync(readFileSync(join(built, name))).byteLength / 1024))
  const total = weights.reduce((sum, [, weight]) => sum + weight, language)
  expect(total, weights.map(([name, weight]) => `${weight.toFixed(0)} KiB ${name}`).join('\n')).toBeLessThanOrEqual(BUDGET)
})

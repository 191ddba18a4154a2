import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import type { Assets } from '../app/embed/[videoId]/_parts/document.ts'
import { buildPlayer } from './build-player.ts'

const BUDGET_BYTES = 200 * 1000
/** Loaded only where the page asks for it. */
const TRANSCRIPT_BUDGET_BYTES = 5 * 1000
const ELEMENT = 'reelgate-player.js'
const ELEMENT_BUDGET_BYTES = 3 * 1000

it('bundles the player within its budget, and lists every file it needs', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'reelgate-player-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  await buildPlayer(dir)
  const files = readdirSync(dir)
  const isTexts = (name: string) => name.startsWith('texts-')
  const isWatch = (name: string) => name.startsWith('watch-')
  const watermark = files.filter((name) => name.startsWith('watermark-'))
  const transcript = files.filter((name) => name.startsWith('transcript-'))
  const isAsked = (name: string) => transcript.includes(name)
  const scripts = files.filter((name) => name.endsWith('.js') && name !== ELEMENT && !isTexts(name) && !isWatch(name) && !isAsked(name))
  const weigh = (name: string) => gzipSync(readFileSync(join(dir, name))).byteLength
  const languages = files.filter(isTexts)
  expect(languages).toHaveLength(5)
  // A page loads one language.
  const sent = scripts.reduce((sum, name) => sum + weigh(name), Math.max(...languages.map(weigh)))
  // Media Chrome's own English texts are not among them.
  for (const name of scripts) expect(readFileSync(join(dir, name), 'utf8')).not.toContain('Start casting')
  expect(sent).toBeLessThan(BUDGET_BYTES)
  expect(transcript.map(weigh).filter((bytes) => bytes < TRANSCRIPT_BUDGET_BYTES)).toHaveLength(1)
  // An empty bundle would be within any budget.
  expect(sent).toBeGreaterThan(BUDGET_BYTES / 2)

  const assets = JSON.parse(readFileSync(join(dir, 'assets.json'), 'utf8')) as Assets & { watch: { script: string; style: string } }
  const named = [assets.script, assets.style, assets.watch.script, assets.watch.style, ...assets.preload].map((path) =>
    path.replace('/player/', ''),
  )
  // Only a token or an address that asks for it loads it.
  expect(watermark).toHaveLength(1)
  expect([...named, ...languages, ...watermark, ...transcript, 'assets.json', ELEMENT].sort()).toEqual(files.sort())

  // Media Chrome's styles carry the page's nonce; the page's policy would refuse them otherwise.
  const styles = scripts.flatMap((name) => readFileSync(join(dir, name), 'utf8').match(/<style[^>]*>/g) ?? [])
  expect(styles.length).toBeGreaterThan(10)
  for (const style of styles) expect(style).toMatch(/^<style nonce="\$\{\w+\}"/)

  // The element loads on pages before any playback: it must be small, and run as a classic script.
  const element = readFileSync(join(dir, ELEMENT), 'utf8')
  expect(gzipSync(element).byteLength).toBeLessThan(ELEMENT_BUDGET_BYTES)
  expect(element).not.toMatch(/^\s*(?:import|export)\b/m)
})

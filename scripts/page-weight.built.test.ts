import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

/** KiB, as sent, compressed. */
const BUDGET = 300
const build = join(import.meta.dirname, '../.next')
const MANIFEST = '/page_client-reference-manifest.js'

const weights = new Map<string, number>()
const weightOf = (file: string): number => {
  const known = weights.get(file) ?? gzipSync(readFileSync(join(build, file))).byteLength / 1024
  weights.set(file, known)
  return known
}

/** Returns the initial scripts of a page: Next's own, and those of everything that its layouts, its states and the page itself show. */
function scriptsOf(manifest: string): string[] {
  const text = readFileSync(join(build, 'server/app', manifest), 'utf8')
  // An assignment whose right side is JSON.
  const { entryJSFiles } = JSON.parse(text.slice(text.indexOf('] = ') + 4).replace(/;\s*$/, '')) as {
    entryJSFiles: Record<string, string[]>
  }
  const { rootMainFiles } = JSON.parse(readFileSync(join(build, 'build-manifest.json'), 'utf8')) as { rootMainFiles: string[] }
  return [...new Set([...rootMainFiles, ...Object.values(entryJSFiles).flat()])]
}

const manifests = globSync(`**${MANIFEST}`, { cwd: join(build, 'server/app') }).sort()

it('finds the pages', () => {
  expect(manifests.length).toBeGreaterThan(30)
  expect(scriptsOf(manifests.find((path) => path.includes('(dashboard)/videos/(list)')) as string).length).toBeGreaterThan(10)
})

it.each(manifests.map((path) => [`/${path.slice(0, -MANIFEST.length)}`, path] as const))(
  `%s starts with at most ${BUDGET} KB of JavaScript`,
  (_, manifest) => {
    const scripts = scriptsOf(manifest)
    const total = scripts.reduce((sum, file) => sum + weightOf(file), 0)
    const heaviest = scripts
      .map((file) => `${weightOf(file).toFixed(0)} KB ${file}`)
      .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
    expect(total, heaviest.slice(0, 8).join('\n')).toBeLessThanOrEqual(BUDGET)
  },
)

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import plugin from '@scalar/fastify-api-reference'

const root = join(import.meta.dirname, '..')
const parts = join(root, 'app/docs/reference/_parts')
const fonts = join(root, 'node_modules/@fontsource-variable')
/** Served at /reference; every name but that of assets.json contains a hash of the content. */
const REFERENCE_DIR = join(root, 'public/reference')

/**
 * Copies the API reference's browser files into `dir` and writes `assets.json`, which the page's route reads. next.config.mjs calls it,
 * like scripts/build-player.ts.
 */
export async function buildReference(dir = REFERENCE_DIR): Promise<void> {
  const files = new Map<string, string | Buffer>()
  const add = (name: string, content: string | Buffer) => {
    const [stem, ending] = name.split('.')
    const hashed = `${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.${ending}`
    files.set(hashed, content)
    return hashed
  }
  let css = readFileSync(join(parts, 'reference.css'), 'utf8')
  for (const [font, path] of [
    ['inter', 'inter/files/inter-latin-wght-normal.woff2'],
    ['jetbrains-mono', 'jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'],
  ] as const) {
    css = css.replace(`${font}.woff2`, add(`${font}.woff2`, readFileSync(join(fonts, path))))
  }
  const address = (name: string) => `/reference/${name}`
  const assets = {
    style: address(add('reference.css', css)),
    scripts: [add('scalar.js', browserFile()), add('start.js', readFileSync(join(parts, 'start.js')))].map(address),
  }
  mkdirSync(dir, { recursive: true })
  files.set('assets.json', JSON.stringify(assets))
  for (const [name, content] of files) writeFileSync(join(dir, name), content)
  // Deleted last, so that a page requested in the meantime finds the files that it names.
  for (const name of readdirSync(dir)) if (!files.has(name)) rmSync(join(dir, name))
}

interface Served {
  url: string
  handler(request: unknown, reply: { header(): unknown; send(body: string): string }): string
}

/**
 * Returns Scalar's file for browsers. Its npm package has 270 dependencies; the Fastify plugin includes the file and serves it at
 * js/scalar.js, so it is requested from the plugin.
 */
function browserFile(): string {
  const routes: Served[] = []
  const host = { route: (one: Served) => routes.push(one), log: console, initialConfig: {} }
  plugin(host as never, { configuration: { url: '/v1/openapi.json' } }, () => {})
  const reply = { header: () => reply, send: (body: string) => body }
  const script = routes.find(({ url }) => url.endsWith('/js/scalar.js'))?.handler({}, reply)
  if (!script || script.length < 1_000_000) throw new Error('The API reference package no longer contains its browser file js/scalar.js.')
  return script
}

if (import.meta.main) await buildReference()

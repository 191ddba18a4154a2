import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Writes `sbom.cdx.json` (CycloneDX 1.5: every package of the lockfile that the running service may use, including optional ones for other
 * systems) and `THIRD_PARTY_LICENSES` (the license texts in those packages) to a folder, by default dist/. Needs no network.
 */
const root = join(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'dist'))

interface Component {
  'bom-ref': string
  name: string
  version: string
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[]
  externalReferences?: unknown[]
}
interface Bom {
  serialNumber?: string
  metadata: { component: { 'bom-ref': string; name: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
interface Locked {
  version?: string
  license?: string
  dev?: boolean
}
interface Manifest {
  name: string
  license?: string | { type?: string }
  licenses?: { type?: string }[]
  author?: string | { name?: string }
}

const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T

/** The lockfile's packages without those that only tests and tools need, by their folder below the root. */
const locked = Object.entries(readJson<{ packages: Record<string, Locked> }>(join(root, 'package-lock.json')).packages)
  .filter(([path, { dev }]) => path !== '' && !dev)
  .map(([path, { version = '', license }]) => ({ path, name: path.split('node_modules/').at(-1) as string, version, license }))

const stated = ({ license, licenses }: Partial<Manifest>) =>
  (typeof license === 'string' ? license : license?.type) ?? licenses?.map(({ type }) => type).join(' OR ')

/** Each installed package's data: its manifest, and its license texts. */
const installed = locked.map((one) => {
  const place = join(root, one.path)
  const manifest = existsSync(join(place, 'package.json')) ? readJson<Manifest>(join(place, 'package.json')) : undefined
  const names = manifest ? readdirSync(place).filter((name) => /^((\w+-)?licen[cs]e|copying|notice|unlicense|readme)/i.test(name)) : []
  const read = names.sort().flatMap((name) => {
    if (statSync(join(place, name)).isDirectory()) return []
    const text = readFileSync(join(place, name), 'utf8').replaceAll('\r\n', '\n').trim()
    // Some packages state it only at the end of their readme.
    return /^readme/i.test(name) ? [{ own: false, text: /^#+ *licen[cs]e\b[\s\S]*/im.exec(text)?.[0] ?? '' }] : [{ own: true, text }]
  })
  const texts = (read.some(({ own }) => own) ? read.filter(({ own }) => own) : read).map(({ text }) => text).filter(Boolean)
  const license = one.license ?? stated(manifest ?? {}) ?? (texts.some((text) => /\bMIT\b/.test(text)) ? 'MIT' : undefined)
  return { ...one, license, manifest, texts }
})

function makeBom(): Bom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--loglevel', 'error']
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`)
  const bom = JSON.parse(stdout) as Bom
  // Otherwise the folder's name, and a number that differs each time.
  bom.metadata.component.name = readJson<Manifest>(join(root, 'package.json')).name
  delete bom.serialNumber
  const licenceOf = new Map(installed.map(({ name, version, license }) => [`${name}@${version}`, license]))
  // Not by `--omit dev`: npm then omits packages that a tool needs as well.
  bom.components = bom.components.filter(({ name, version }) => licenceOf.has(`${name}@${version}`))
  const refs = new Set([bom.metadata.component, ...bom.components].map((one) => one['bom-ref']))
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  for (const component of bom.components) {
    // A package's source depends on the builder's registry and is omitted.
    delete component.externalReferences
    const known = licenceOf.get(`${component.name}@${component.version}`)
    if (!component.licenses && known) component.licenses = [{ license: { name: known } }]
  }
  return bom
}

function makeLicences(): string {
  const seen = new Set<string>()
  const parts = installed
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'))
    .flatMap(({ name, version, license, manifest, texts }) => {
      const head = `${name} ${version}`
      if (seen.has(head)) return []
      seen.add(head)
      const author = typeof manifest?.author === 'string' ? manifest.author : manifest?.author?.name
      const without = manifest
        ? 'The package contains no license text.'
        : 'Package for other systems, not installed here; its license text is not available.'
      const body = texts.length > 0 ? texts.join('\n\n') : [without, author && `Author: ${author}`].filter(Boolean).join('\n')
      return [`${head}\nLicense: ${license ?? 'not specified'}\n\n${body}`]
    })
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  return `${['Reelgate includes or runs the packages below. Each is under its own license.', ...parts].join(rule)}\n`
}

mkdirSync(folder, { recursive: true })
const bom = makeBom()
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
writeFileSync(join(folder, 'THIRD_PARTY_LICENSES'), makeLicences())
process.stdout.write(`${bom.components.length} packages: ${join(folder, 'sbom.cdx.json')} and THIRD_PARTY_LICENSES\n`)

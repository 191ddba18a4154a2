import { builtinModules } from 'node:module'
import { GENERATED, type Import, type Module, TESTING } from './imports.ts'

export type Graph = ReadonlyMap<string, Module>
/** A rule returns one line for each violation. */
export type Rule = (graph: Graph) => string[]

/**
 * The modules of the domain, lowest first. Each may import those before it. A new module is a decision, so its position is declared here.
 */
export const MODULES = [
  'audit',
  'identity',
  'webhooks',
  'billing',
  'access',
  'videos',
  'media',
  'transcoding',
  'uploads',
  'delivery',
  'analytics',
  'dashboard',
  'backups',
  'backoffice',
]
const TRANSPORTS = ['http', 'trpc', 'worker']
/** Parts of the process that start the transports and so import all of them. */
const PROCESS = [
  'server/admin.ts',
  'server/main.ts',
  'server/drill.ts',
  'server/metrics.ts',
  'server/services.ts',
  'server/http/http-server.ts',
  'server/http/web-server.ts',
  'server/http/health.ts',
]
/** Tables that everything reads, including REST, documentation and browser: data without I/O. */
const REGISTRIES = [
  'audit-actions',
  'error-help',
  'errors',
  'permissions',
  'scopes',
  'events',
  'jobs',
  'limits',
  'operator-actions',
  'security-events',
]

const LAYERS = ['schema', 'platform', 'registry', 'module', 'transport', 'app'] as const
type Layer = (typeof LAYERS)[number]

/** Returns a file's layer. Undefined if no rule assigns one. */
export function layerOf(path: string): Layer | undefined {
  const [top, folder = '', ...rest] = path.split('/')
  if (top === 'app') return 'app'
  if (top !== 'server') return undefined
  if (PROCESS.includes(path)) return 'transport'
  if (rest.length === 0) {
    const name = folder.replace(/\.ts$/, '')
    return name === 'context' || REGISTRIES.includes(name) ? 'registry' : undefined
  }
  if (rest.at(-1)?.endsWith('schema.ts') && (folder === 'platform' || moduleOf(path))) return 'schema'
  if (folder === 'platform') return 'platform'
  if (TRANSPORTS.includes(folder)) return 'transport'
  return moduleOf(path) ? 'module' : undefined
}

/** Returns a file's module. Undefined outside `server/modules` and in a folder that is not a module. */
export function moduleOf(path: string): string | undefined {
  const name = /^server\/modules\/([^/]+)\//.exec(path)?.[1]
  return name !== undefined && MODULES.includes(name) ? name : undefined
}

/** Packages that plain data may import. Both run in a browser. */
const PLAIN_PACKAGES = ['zod', 'csv-stringify/browser']
/** Functions without I/O that both server and browser run. */
const PURE = [
  ...['csv', 'day-ranges', 'fold-case', 'one-line', 'schema', 'schema-messages', 'text-file'].map(
    (name) => `server/platform/text/${name}.ts`,
  ),
  ...['cue-files', 'cue-rules'].map((name) => `server/platform/speech/${name}.ts`),
  'server/modules/videos/captions/captions-text.ts',
]
const PLAIN = /^server\/modules\/[^/]+\/(?:[a-z-]+\/)?(?:(?:[a-z]+-)?schema|state|limits|viewer-limits)\.ts$/

/**
 * Returns whether a file is plain data: schemas, registries and state tables. They import zod and each other, so a browser may import them.
 */
export const isPlain = (path: string) => PURE.includes(path) || PLAIN.test(path) || REGISTRIES.some((name) => path === `server/${name}.ts`)

const each = (graph: Graph, judge: (module: Module, one: Import) => string | undefined | false): string[] =>
  [...graph.values()].flatMap((module) =>
    module.imports.flatMap((one) => {
      const problem = judge(module, one)
      return problem ? [`${module.path} imports ${one.target ?? one.specifier}: ${problem}`] : []
    }),
  )

const inFolder = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
/** What the router serves (server/http/router.ts). */
const PUBLIC_ROUTES = ['app/v1', 'app/cdn', 'app/.well-known']
const isPackage = (one: Import, name: string) => one.specifier === name || one.specifier.startsWith(`${name}/`)
const isProcess = (path: string) => PROCESS.includes(path)
/** Returns whether Node runs a file unbundled, without a bundler's module resolution. */
const runsUnbuilt = (path: string) => inFolder(path, 'server', ...PUBLIC_ROUTES)
const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier)
const ASSET = /\.(css|svg|json|mdx)$/

const placed: Rule = (graph) =>
  [...graph.keys()]
    .filter((path) => !layerOf(path))
    .map((path) => `${path} belongs to no layer: add its module or registry to scripts/architecture/rules.ts`)

const named: Rule = (graph) =>
  [...graph.values()].flatMap(({ path, barrel }) => {
    const vague = path.split('/').find((part) => /^(index|utils?|helpers?|misc|common|shared)(\.tsx?)?$/.test(part))
    return vague ? [`${path}: "${vague}" does not describe the content`] : barrel ? [`${path} re-exports; import the file itself`] : []
  })

const resolved: Rule = (graph) =>
  each(graph, ({ path }, { specifier, target }) => {
    if (!target || ASSET.test(target) || target.startsWith(GENERATED)) return
    if (target.startsWith(TESTING)) return 'only tests may import it'
    if (!graph.has(target)) return 'no such file'
    if (runsUnbuilt(path) && specifier.startsWith('.') && !/\.ts$/.test(specifier)) return 'Node requires the complete file name here'
  })

const downwards: Rule = (graph) =>
  each(graph, ({ path }, { target, typeOnly }) => {
    const [from, to] = [layerOf(path), target && layerOf(target)]
    // A browser part may import the router's type, which is a downward import; a schema may read a registry: both are plain data.
    if (!from || !to || !target || (isPlain(path) && isPlain(target))) return
    if (LAYERS.indexOf(to) > LAYERS.indexOf(from)) return `${from} may not import ${to}${typeOnly ? ', not even its types' : ''}`
    if (from === 'transport' && to === 'transport' && !isProcess(path)) {
      const folder = (file: string) => file.split('/')[1]
      return folder(path) !== folder(target) && 'transports must not import each other'
    }
  })

/** Modules import those before them in `MODULES`, including types, so they form no cycle. */
const moduleOrder: Rule = (graph) =>
  each(graph, ({ path }, { target }) => {
    const [from, to] = [moduleOf(path), target && moduleOf(target)]
    return from && to && MODULES.indexOf(to) > MODULES.indexOf(from) && `${to} comes after ${from} in the order of modules`
  })

const acyclic: Rule = (graph) => {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const { target } of graph.get(path)?.imports ?? []) if (target && graph.has(target)) walk(target, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return cycles
}

const plainIsPlain: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    if (!isPlain(path)) return
    if (one.target) return !isPlain(one.target) && 'plain data imports only plain data'
    return !PLAIN_PACKAGES.some((name) => isPackage(one, name)) && `plain data imports only ${PLAIN_PACKAGES.join(' and ')}`
  })

/** Returns every file that a browser would load: files with 'use client' and what they import. */
export function browserModules(graph: Graph): Set<string> {
  const reached = new Set<string>()
  const reach = (path: string): void => {
    if (reached.has(path) || !graph.has(path)) return
    reached.add(path)
    for (const { target, typeOnly } of graph.get(path)?.imports ?? []) if (target && !typeOnly && inFolder(target, 'app')) reach(target)
  }
  for (const { path, client } of graph.values()) if (client) reach(path)
  return reached
}

const SERVER_PACKAGES = [
  'pg',
  'pg-boss',
  'pino',
  'lru-cache',
  'jose',
  '@prisma',
  '@tus/server',
  '@tus/file-store',
  '@trpc/server',
  'next/headers',
]
/** Parts of these packages that browsers run: tRPC links are written with observables. */
const BROWSER_PARTS = ['@trpc/server/observable']

const browser: Rule = (graph) => {
  const reached = browserModules(graph)
  return each(graph, ({ path }, one) => {
    if (!reached.has(path) || one.typeOnly) return
    if (one.target && inFolder(one.target, 'server'))
      return !isPlain(one.target) && 'browser code may import only plain data and types of server/'
    if (BROWSER_PARTS.includes(one.specifier)) return false
    return (isBuiltin(one.specifier) || SERVER_PACKAGES.some((name) => isPackage(one, name))) && 'this module does not run in a browser'
  })
}

const privateParts: Rule = (graph) =>
  each(graph, ({ path }, { target }) => {
    const owner = target && /^(.*?)\/_parts\//.exec(target)?.[1]
    return owner && !inFolder(path, owner) && `_parts belong to ${owner}; parts that several pages share belong in app/_parts or app/_ui`
  })

/**
 * Modules do not access files: media is behind the storage port, uploads are behind their folder. Programs that need files are the
 * exception.
 */
const TOUCHES_FILES = [
  'server/modules/uploads/resumable/folder.ts',
  'server/modules/uploads/resumable/part-writer.ts',
  // Media of the fixture, which comes with the program.
  'server/modules/delivery/segments/fixture-media.ts',
  'server/modules/transcoding/probe/container.ts',
  // ffmpeg's folder of an attempt, and what it writes there.
  ...[
    'encode/copy-source',
    'encode/damaged-chunk',
    'encode/damaged-track',
    'encode/encode-audio',
    'encode/encode-chunk',
    'encode/fragmented-mp4',
    'encode/output-fault',
    'pictures/pictures',
    'encode/remux',
    'pictures/thumbnail',
    'encode/segment-store',
    'probe/source-captions',
    'encode/stored-segments',
    'encode/work-folder',
  ].map((name) => `server/modules/transcoding/${name}.ts`),
]

const files: Rule = (graph) =>
  each(graph, ({ path }, { specifier }) => {
    const opens = /^(node:)?fs(\/promises)?$/.test(specifier) && moduleOf(path) && !TOUCHES_FILES.includes(path)
    return opens && 'modules must not use the file system; use the storage port, or server/modules/uploads/resumable/folder.ts'
  })

const environment: Rule = (graph) =>
  [...graph.values()]
    .filter(({ path, readsEnvironment }) => readsEnvironment && path !== 'server/platform/config/config.ts')
    .map(({ path }) => `${path} reads process.env; add a setting to server/platform/config/settings.ts`)

/** Pages are also served over http, for example on a LAN, where these are missing. */
const plainHttp: Rule = (graph) =>
  [...graph.values()]
    .filter(({ path }) => inFolder(path, 'app') && path !== 'app/_ui/clipboard.ts')
    .flatMap(({ path, secureOnly }) => secureOnly.map((name) => `${path} uses ${name}, which browsers offer over https only`))

/** The container is typed as a whole, so without this rule, any file could read any other's state. */
const ownServices: Rule = (graph) =>
  [...graph.values()].flatMap(({ path, declaredServices, readServices }) =>
    readServices
      .filter((name) => !declaredServices.includes(name) && !isProcess(path))
      .map((name) => `${path} reads the service "${name}"; import a function of the file that declares it`),
  )

const prisma: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    const isClient = isPackage(one, '@prisma') || one.target?.startsWith(GENERATED)
    const isDb = one.target === 'server/platform/database/database.ts' && one.names.some((name) => name === 'db' || name === 'Tx')
    return (isClient || isDb) && !moduleOf(path) && !inFolder(path, 'server/platform') && 'only modules and platform may use Prisma'
  })

const next: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    // The identity module reads and writes next-auth's session cookie.
    if (isPackage(one, 'next-auth'))
      return !inFolder(path, 'app', 'server/trpc', 'server/modules/identity') && 'only app, trpc and the identity module may use next-auth'
    // The process reads Next's configuration and starts Next; it may import nothing else of Next.
    if (['next', 'next/constants.js', 'next/dist/server/config.js'].includes(one.specifier) && isProcess(path)) return
    return isPackage(one, 'next') && !inFolder(path, 'app', 'server/http', 'server/trpc') && 'only app, http and trpc may use next'
  })

/** What signs content without checking a caller's right to it, and the files that may. Other files call `requireContentAccess`. */
const SIGNS_WITHOUT_CALLER: Record<string, string[]> = {
  BEARER: ['delivery/sessions/media-permit', 'delivery/segments/key-url', 'delivery/playlists/storyboard', 'delivery/sharing/open-link'],
  SERVICE: ['backups/drill', 'backups/play-segments', 'audit/receipts/deletions', 'backoffice/support/backups'],
  masterPlaylistUrl: ['delivery/sessions/exchange'],
  renewSession: ['delivery/sessions/session'],
  keyAddress: ['delivery/playlists/media-playlist'],
  mintSession: [],
  keyUrl: [],
}

const contentSignatures: Rule = (graph) =>
  each(graph, ({ path }, { target, names }) => {
    if (!target || !['audit', 'delivery'].includes(moduleOf(target) ?? '')) return
    const name = names.find((one) => SIGNS_WITHOUT_CALLER[one]?.every((file) => path !== `server/modules/${file}.ts`))
    return name && `${name} signs content without asking for whom; take the proof of requireContentAccess(ctx)`
  })

/** Next's own link prefetches every visible page. */
const links: Rule = (graph) =>
  each(graph, ({ path }, { specifier }) => specifier === 'next/link' && path !== 'app/_ui/Link.tsx' && 'use app/_ui/Link.tsx')

const publicRoutes: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    if (!inFolder(path, ...PUBLIC_ROUTES)) return
    return !one.specifier.startsWith('#server/') && one.specifier !== 'zod' && 'public routes may import only #server/* and zod'
  })

const followed: Rule = (graph) =>
  [...graph.values()]
    // The router finds the public routes by walking their folders.
    .filter(({ path, computedImports }) => computedImports && path !== 'server/http/router.ts')
    .map(({ path }) => `${path} imports a computed name, which this test cannot follow`)

/**
 * Every rule, by the sentence that it enforces. Not dependency-cruiser: its rules judge paths, not imported names, `process.env`, 'use
 * client' or computed imports.
 */
export const RULES = {
  'every file belongs to a known layer': placed,
  'names describe the content, and no file re-exports': named,
  'every import names an existing file': resolved,
  'imports only go to lower layers': downwards,
  'modules import only those before them': moduleOrder,
  'there are no cycles': acyclic,
  'schemas, registries and state tables are plain data': plainIsPlain,
  'browser code imports only plain data and types of server/': browser,
  '_parts are imported only by their owner': privateParts,
  'process.env is read only in server/platform/config/config.ts': environment,
  'pages use only what browsers offer over plain http, except in app/_ui/clipboard.ts': plainHttp,
  'a service is read by the file that declares it': ownServices,
  'modules do not use the file system': files,
  'Prisma is used only in modules and platform': prisma,
  'Next is used only in app, http and trpc': next,
  'links are those of app/_ui/Link.tsx': links,
  'public routes may import only #server/* and zod': publicRoutes,
  'content is signed for a caller who may have it': contentSignatures,
  'imports are static': followed,
} satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES

import { builtinModules } from 'node:module'
import { GENERATED, type Import, type Module, TESTING } from './modules.ts'

export type Graph = ReadonlyMap<string, Module>
/** A rule answers one line for each place that breaks it. */
export type Rule = (graph: Graph) => string[]

/** The rooms. A new one is a decision, so it is made here. */
export const ROOMS = [
  'account',
  'audit',
  'billing',
  'key',
  'playback',
  'quota',
  'receipt',
  'search',
  'support',
  'team',
  'traffic',
  'transcode',
  'upload',
  'user',
  'video',
  'viewing',
  'webhook',
]
const TRANSPORTS = ['rest', 'trpc', 'worker']
/** The process itself: starts the transports, and so knows them all. */
const PROCESS = ['main', 'http', 'web', 'health', 'untold-proxy']
/** Tables that everything reads, REST, docs and browser alike: data without I/O. */
const LEDGERS = ['actions', 'causes', 'errors', 'roles', 'scopes', 'events', 'jobs', 'limits', 'security-events']

const FLOORS = ['schema', 'infra', 'ledger', 'room', 'transport', 'app'] as const
type Floor = (typeof FLOORS)[number]

/** The floor a file stands on; undefined when nothing says where it belongs. */
export function floorOf(path: string): Floor | undefined {
  const [top, folder = '', ...rest] = path.split('/')
  if (top === 'app') return 'app'
  if (top !== 'server') return undefined
  if (rest.length === 0) {
    const name = folder.replace(/\.ts$/, '')
    if (PROCESS.includes(name)) return 'transport'
    return name === 'context' || LEDGERS.includes(name) ? 'ledger' : undefined
  }
  if (folder === 'infra') return 'infra'
  if (TRANSPORTS.includes(folder)) return 'transport'
  if (!ROOMS.includes(folder)) return undefined
  return rest.at(-1) === 'schema.ts' ? 'schema' : 'room'
}

/** Functions without I/O and imports that both sides of the line run, so that there is one of each. */
const PURE = ['server/infra/csv.ts']

/** Plain data: schemas, ledgers and state tables. They import zod and each other, so a browser may import them. */
export const isPlain = (path: string) =>
  PURE.includes(path) || /^server\/[^/]+\/(schema|state|limits)\.ts$/.test(path) || LEDGERS.some((name) => path === `server/${name}.ts`)

const each = (graph: Graph, judge: (module: Module, one: Import) => string | undefined | false): string[] =>
  [...graph.values()].flatMap((module) =>
    module.imports.flatMap((one) => {
      const problem = judge(module, one)
      return problem ? [`${module.path} imports ${one.target ?? one.specifier}: ${problem}`] : []
    }),
  )

const inFolder = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
/** What the lane serves (server/rest/lane.ts). */
const PUBLIC_ROUTES = ['app/v1', 'app/cdn', 'app/.well-known']
const isPackage = (one: Import, name: string) => one.specifier === name || one.specifier.startsWith(`${name}/`)
const isProcess = (path: string) => PROCESS.some((name) => path === `server/${name}.ts`)
const isRoom = (path: string) => ROOMS.some((room) => inFolder(path, `server/${room}`))
/** Files that Node runs as they are, without a bundler's forgiving resolution. */
const runsUnbuilt = (path: string) => inFolder(path, 'server', ...PUBLIC_ROUTES)
const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier)
const ASSET = /\.(css|svg|json)$/

const placed: Rule = (graph) =>
  [...graph.keys()].filter((path) => !floorOf(path)).map((path) => `${path} stands on no floor: add its room or ledger to the floors`)

const named: Rule = (graph) =>
  [...graph.values()].flatMap(({ path, barrel }) => {
    const vague = path.split('/').find((part) => /^(index|utils?|helpers?|misc|common|shared)(\.tsx?)?$/.test(part))
    return vague ? [`${path}: "${vague}" says nothing about what is inside`] : barrel ? [`${path} re-exports; import the file itself`] : []
  })

const resolved: Rule = (graph) =>
  each(graph, ({ path }, { specifier, target }) => {
    if (!target || ASSET.test(target) || target.startsWith(GENERATED)) return
    if (target.startsWith(TESTING)) return 'that is for tests alone'
    if (!graph.has(target)) return 'no such file'
    if (runsUnbuilt(path) && specifier.startsWith('.') && !/\.ts$/.test(specifier)) return 'Node needs the whole file name here'
  })

const downwards: Rule = (graph) =>
  each(graph, ({ path }, { target, typeOnly }) => {
    const [from, to] = [floorOf(path), target && floorOf(target)]
    // A browser part may know the router's type, which is on its way down; a schema may read a ledger: both are plain data.
    if (!from || !to || !target || (isPlain(path) && isPlain(target))) return
    if (FLOORS.indexOf(to) > FLOORS.indexOf(from)) return `${from} may not import ${to}${typeOnly ? ', not even its types' : ''}`
    if (from === 'transport' && to === 'transport' && !isProcess(path)) {
      const folder = (file: string) => file.split('/')[1]
      return folder(path) !== folder(target) && 'transports do not know each other'
    }
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
    return one.target ? !isPlain(one.target) && 'plain data imports only plain data' : !isPackage(one, 'zod') && 'plain data needs only zod'
  })

/** Everything a browser would be sent: files that say 'use client' and what they load. */
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

const browser: Rule = (graph) => {
  const reached = browserModules(graph)
  return each(graph, ({ path }, one) => {
    if (!reached.has(path) || one.typeOnly) return
    if (one.target && inFolder(one.target, 'server'))
      return !isPlain(one.target) && 'a browser may have plain data and types of server/, no more'
    return (isBuiltin(one.specifier) || SERVER_PACKAGES.some((name) => isPackage(one, name))) && 'this does not run in a browser'
  })
}

const privateParts: Rule = (graph) =>
  each(graph, ({ path }, { target }) => {
    const owner = target && /^(.*?)\/_parts\//.exec(target)?.[1]
    return owner && !inFolder(path, owner) && `_parts belong to ${owner}; what several pages share lives in app/_ui`
  })

/** Rooms know no files: media stands behind the storage port, uploads behind server/upload/folder.ts. What programs need as files is excepted. */
const TOUCHES_FILES = [
  'server/upload/folder.ts',
  'server/upload/container.ts',
  // ffmpeg's folder of a try, and what it writes there.
  ...['encode', 'output-fault', 'pictures', 'run', 'segment-store', 'work-folder'].map((name) => `server/transcode/${name}.ts`),
]

const files: Rule = (graph) =>
  each(graph, ({ path }, { specifier }) => {
    const opens = /^(node:)?fs(\/promises)?$/.test(specifier) && isRoom(path) && !TOUCHES_FILES.includes(path)
    return opens && 'rooms know no files; ask the storage port, or server/upload/folder.ts'
  })

const environment: Rule = (graph) =>
  [...graph.values()]
    .filter(({ path, readsEnvironment }) => readsEnvironment && path !== 'server/infra/env.ts')
    .map(({ path }) => `${path} reads process.env; add a setting to server/infra/env.ts`)

const prisma: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    const isClient = isPackage(one, '@prisma') || one.target?.startsWith(GENERATED)
    const isDb = one.target === 'server/infra/db.ts' && one.names.some((name) => name === 'db' || name === 'Tx')
    return (isClient || isDb) && !isRoom(path) && !inFolder(path, 'server/infra') && 'Prisma is for rooms and infra'
  })

const next: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    // Sessions are an account's matter, so next-auth may be configured in that room.
    if (isPackage(one, 'next-auth'))
      return !inFolder(path, 'app', 'server/trpc', 'server/account') && 'next-auth is for app, trpc and the account room'
    // The process reads Next's configuration and starts it; nothing else of Next is its business.
    if (['next', 'next/constants.js', 'next/dist/server/config.js'].includes(one.specifier) && isProcess(path)) return
    return isPackage(one, 'next') && !inFolder(path, 'app', 'server/rest', 'server/trpc') && 'next is for app, rest and trpc'
  })

const publicRoutes: Rule = (graph) =>
  each(graph, ({ path }, one) => {
    if (!inFolder(path, ...PUBLIC_ROUTES)) return
    return !one.specifier.startsWith('#server/') && one.specifier !== 'zod' && 'public routes import #server/* and zod alone'
  })

const followed: Rule = (graph) =>
  [...graph.values()]
    // The lane finds the public routes by walking their folders.
    .filter(({ path, computedImports }) => computedImports && path !== 'server/rest/lane.ts')
    .map(({ path }) => `${path} imports a computed name, which nobody can follow`)

/** Every rule, by the sentence it keeps true. */
export const RULES = {
  'every file stands on a known floor': placed,
  'names say what is inside, and nothing re-exports': named,
  'every import names a file that is there': resolved,
  'imports only go down': downwards,
  'there are no cycles': acyclic,
  'schemas, ledgers and state tables are plain data': plainIsPlain,
  'browser code takes plain data and types of server/, nothing else': browser,
  "a page's _parts are its own": privateParts,
  'process.env is read in server/infra/env.ts alone': environment,
  'rooms know no files': files,
  'Prisma is used in rooms and infra alone': prisma,
  'Next is used in app, rest and trpc alone': next,
  'public routes import #server/* and zod alone': publicRoutes,
  'imports can be followed': followed,
} satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES

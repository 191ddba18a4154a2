import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Import {
  specifier: string
  /** Path from the repository's root if it is a file of the project. */
  target?: string
  /** Erased before the program runs. `import { type X }` is not: the module is still loaded. */
  typeOnly: boolean
  /** Imported names. Empty for a side effect, `*` for a namespace or a dynamic import. */
  names: string[]
}

export interface Module {
  path: string
  client: boolean
  imports: Import[]
  readsEnvironment: boolean
  /** `import(expression)`, whose target cannot be determined. */
  computedImports: boolean
  /** `export *`, or a file of re-exports only. */
  barrel: boolean
  /** What it uses that browsers offer only in secure contexts, such as `navigator.clipboard`. */
  secureOnly: string[]
  /** Services that it adds to the container. */
  declaredServices: string[]
  /** Services that it reads from the container. `*` for a use that does not name them. */
  readServices: string[]
}

export type Sources = Map<string, string>

/** Written by a generator. */
export const GENERATED = 'server/platform/prisma/'

/** Shared by tests. The product may not import it. */
export const TESTING = 'server/testing/'

/** Reads the product's own source text: everything under `app/` and `server/` except tests, declarations and generated code. */
export function readSources(root: string): Sources {
  const sources: Sources = new Map()
  for (const top of ['app', 'server']) {
    for (const entry of readdirSync(join(root, top), { withFileTypes: true, recursive: true })) {
      const path = relative(root, join(entry.parentPath, entry.name))
      if (!entry.isFile() || !/\.(ts|tsx|mjs|js|jsx)$/.test(path) || /\.(test|d)\.tsx?$/.test(path)) continue
      if (path.startsWith(GENERATED) || path.startsWith(TESTING)) continue
      sources.set(path, readFileSync(join(root, path), 'utf8'))
    }
  }
  return sources
}

/** Parses every file. `graph.get(path).imports` lists what it imports, among `all` sources. Throws on a file that does not parse. */
export function readModules(sources: Sources, all: Sources = sources): Map<string, Module> {
  return new Map([...sources].map(([path, text]) => [path, readModule(path, text, all)]))
}

function readModule(path: string, text: string, sources: Sources): Module {
  const { program, module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const imports: Import[] = []
  const add = (specifier: string, typeOnly: boolean, names: string[]) =>
    imports.push({ specifier, target: resolve(path, specifier, sources), typeOnly, names })

  for (const { start, end, moduleRequest, entries } of module.staticImports) {
    const names = entries.map(({ importName }) => importName.name ?? (importName.kind === 'Default' ? 'default' : '*'))
    add(moduleRequest.value, /^import\s+type\b/.test(text.slice(start, end)), names)
  }
  const reexports = module.staticExports.flatMap(({ entries }) => entries).filter(({ moduleRequest }) => moduleRequest)
  for (const { moduleRequest, importName, isType } of reexports) add(moduleRequest?.value ?? '', isType, [importName.name ?? '*'])

  const seen = { readsEnvironment: false, computedImports: false }
  const secureOnly: string[] = []
  const container = { declaredServices: [] as string[], readServices: [] as string[] }
  visit(program, (node) => {
    if (node.type === 'TSImportType') add(String(literal(node.source ?? node.argument) ?? ''), true, ['*'])
    if (node.type === 'ImportExpression') {
      const specifier = literal(node.source)
      if (typeof specifier === 'string') add(specifier, false, ['*'])
      else seen.computedImports = true
    }
    seen.readsEnvironment ||= isEnvironment(node)
    secureOnly.push(...secureOnlyIn(node))
    container.declaredServices.push(...servicesDeclaredBy(node))
    container.readServices.push(...servicesReadBy(node))
  })
  seen.readsEnvironment ||= imports.some(
    ({ specifier, names }) => /^(node:)?process$/.test(specifier) && names.some((name) => name !== 'exit'),
  )

  const statements = program.body as unknown as Syntax[]
  const onlyReexports = statements.length > 0 && statements.every(({ type, source }) => /^Export(All|Named)/.test(String(type)) && source)
  const starred = reexports.some(({ importName }) => importName.kind === 'AllButDefault' || importName.kind === 'All')
  const client = statements.some(({ directive }) => directive === 'use client')
  return { path, client, imports, barrel: starred || onlyReexports, secureOnly, ...seen, ...container }
}

function resolve(from: string, specifier: string, sources: Sources): string | undefined {
  if (specifier.startsWith('#server/')) return `server/${specifier.slice('#server/'.length)}.ts`
  if (!specifier.startsWith('.')) return undefined
  const target = join(dirname(from), specifier)
  return [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`, `${target}/index.tsx`].find((path) => sources.has(path)) ?? target
}

type Syntax = Record<string, unknown>

const literal = (node: unknown) => {
  const { type, value, literal } = (node ?? {}) as Syntax
  return type === 'Literal' ? value : type === 'TSLiteralType' ? (literal as Syntax).value : undefined
}

/** Recognizes `process.env`, `process['env']`, `{ env } = process`. */
function isEnvironment(node: Syntax): boolean {
  const named = (part: unknown, name: string) => (part as Syntax)?.name === name || literal(part) === name
  const isProcess = (part: unknown) =>
    named(part, 'process') || ((part as Syntax)?.type === 'MemberExpression' && named((part as Syntax).property, 'process'))
  if (node.type === 'MemberExpression') return isProcess(node.object) && named(node.property, 'env')
  if (node.type !== 'VariableDeclarator' || !isProcess(node.init)) return false
  const properties = ((node.id as Syntax).properties ?? []) as Syntax[]
  return properties.some(({ key }) => named(key, 'env'))
}

const SECURE_ONLY: Record<string, RegExp> = {
  crypto: /^(?:randomUUID|subtle)$/,
  navigator:
    /^(?:clipboard|credentials|serviceWorker|share|canShare|storage|storageBuckets|locks|mediaDevices|getUserMedia|wakeLock|userAgentData|deviceMemory|getBattery|geolocation|gpu|usb|hid|serial|bluetooth|xr|keyboard|presentation|setAppBadge|requestMIDIAccess|requestMediaKeySystemAccess|registerProtocolHandler)$/,
  window:
    /^(?:caches|cookieStore|show(?:SaveFile|OpenFile|Directory)Picker|queryLocalFonts|getScreenDetails|documentPictureInPicture|isSecureContext|Notification|PublicKeyCredential|PasswordCredential|PaymentRequest|ClipboardItem|WebTransport|(?:Video|Audio)(?:De|En)coder|ImageDecoder|AudioWorklet|MediaKeys|EyeDropper|IdleDetector|SpeechRecognition)$/,
}
const GLOBALS = /^(?:window|self|globalThis)$/

/** Returns what an expression uses of the browser that pages over plain http lack. */
function secureOnlyIn(node: Syntax): string[] {
  const within = (owner: string | undefined, name: string | undefined) => {
    const known = GLOBALS.test(owner ?? '') ? 'window' : (owner ?? '')
    return name !== undefined && SECURE_ONLY[known]?.test(name) ? [known === 'window' ? name : `${known}.${name}`] : []
  }
  /** `navigator`, or the last part of `window.navigator`. */
  const ownerOf = (part: unknown) => nameOf(part) ?? nameOf((part as Syntax | undefined)?.property)
  if (node.type === 'MemberExpression')
    return [
      ...within(ownerOf(node.object), nameOf(node.property) ?? String(literal(node.property) ?? '')),
      ...within('window', nameOf(node.object)),
    ]
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return within('window', nameOf(node.callee))
  if (node.type !== 'VariableDeclarator' || (node.id as Syntax).type !== 'ObjectPattern') return []
  return ((node.id as Syntax).properties as Syntax[]).flatMap(({ key }) => within(ownerOf(node.init), nameOf(key)))
}

const nameOf = (node: unknown) => (node as Syntax | undefined)?.name as string | undefined

/** Returns the services that an `interface Services` declares. */
function servicesDeclaredBy(node: Syntax): string[] {
  if (node.type !== 'TSInterfaceDeclaration' || nameOf(node.id) !== 'Services') return []
  return ((node.body as Syntax).body as Syntax[]).map(({ key }) => nameOf(key) ?? '*')
}

/** Returns the services that `services().name` or `const { name } = services()` reads. */
function servicesReadBy(node: Syntax): string[] {
  const isContainer = (part: unknown) => (part as Syntax)?.type === 'CallExpression' && nameOf((part as Syntax).callee) === 'services'
  if (node.type === 'MemberExpression' && isContainer(node.object)) return [node.computed ? '*' : (nameOf(node.property) ?? '*')]
  if (node.type !== 'VariableDeclarator' || !isContainer(node.init)) return []
  const { type, properties } = node.id as Syntax
  return type === 'ObjectPattern' ? (properties as Syntax[]).map(({ key }) => nameOf(key) ?? '*') : ['*']
}

function visit(node: unknown, enter: (node: Syntax) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, enter)
  else if (node && typeof node === 'object') {
    if ('type' in node) enter(node as Syntax)
    for (const value of Object.values(node)) if (value && typeof value === 'object') visit(value, enter)
  }
}

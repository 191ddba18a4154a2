import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readModules, readSources, type Sources } from './imports.ts'
import { browserModules, MODULES, moduleOf, RULES, type RuleName } from './rules.ts'

const sources = readSources(join(import.meta.dirname, '../..'))
const graph = readModules(sources)

describe('the architecture', () => {
  it('includes all sources', () => {
    const imports = [...graph.values()].flatMap((module) => module.imports)
    expect(graph.size).toBeGreaterThan(50)
    expect(imports.filter(({ target }) => target).length).toBeGreaterThan(graph.size)
    expect(browserModules(graph).size).toBeGreaterThan(0)
    expect(new Set([...graph.keys()].map(moduleOf))).toEqual(new Set([undefined, ...MODULES]))
  })

  it.each(Object.keys(RULES) as RuleName[])('%s', (name) => {
    expect(RULES[name](graph)).toEqual([])
  })
})

/** For each rule, files that violate it. Added to the real ones, each must be reported, except the `innocent` ones that they import. */
const VIOLATIONS: Record<RuleName, Record<string, string>> = {
  'every file belongs to a known layer': {
    'server/cellar/dig.ts': 'export const dig = 1',
    'server/modules/cellar/dig.ts': 'export const dig = 1',
    'server/loose.ts': 'export const loose = 1',
  },
  'names describe the content, and no file re-exports': {
    'server/modules/access/index.ts': "export { state } from './keys/state.ts'",
    'server/modules/access/utils.ts': 'export const x = 1',
    'server/modules/access/helpers/x.ts': 'export const x = 1',
    'server/modules/access/everything.ts': "export * from './keys/state.ts'",
  },
  'every import names an existing file': {
    'server/modules/access/absent.ts': "import './nowhere.ts'",
    'server/modules/access/unbuilt.ts': "import { state } from './keys/state'\nexport const x = state",
    'server/modules/access/tested.ts': "import '../../testing/make.ts'",
    'server/modules/access/alias.ts': "import '#server/nowhere'",
  },
  'imports only go to lower layers': {
    'server/platform/up.ts': "import { ServiceError } from '../errors.ts'\nexport const x = ServiceError",
    'server/modules/access/up.ts': "export { endpoint as x } from '../../http/endpoint.ts'\nexport const y = 1",
    'server/modules/access/up-type.ts': "export type X = import('../../http/reply.ts').Reply",
    'server/http/up.ts': "export const x = () => import('../../app/innocent.ts')",
    'server/worker/sideways.ts': "import { endpoint } from '../http/endpoint.ts'\nexport const x = endpoint",
    'app/innocent.ts': 'export const x = 1',
  },
  'modules import only those before them': {
    'server/modules/audit/up.ts': "import { revokeKey } from '../access/keys/revoke-key.ts'\nexport const x = revokeKey",
    'server/modules/access/up.ts': "import type { Segment } from '../delivery/segments/segment.ts'\nexport type X = Segment",
    'server/modules/videos/up.ts': "export type X = import('../uploads/resumable/folder.ts').Ticket",
  },
  'there are no cycles': {
    'server/modules/access/one.ts': "import { two } from './two.ts'\nexport const one = () => two",
    'server/modules/access/two.ts': "import { one } from './one.ts'\nexport const two = () => one",
  },
  'schemas, registries and state tables are plain data': {
    'server/modules/access/quotas/schema.ts': "import { config } from '../../../platform/config/config.ts'\nexport const x = config",
    'server/modules/access/quotas/state.ts': "import pg from 'pg'\nexport const x = pg",
    'server/jobs.ts': "import { readFileSync } from 'node:fs'\nexport const x = readFileSync",
  },
  'browser code imports only plain data and types of server/': {
    'app/planted/direct.tsx': "'use client'\nimport { env } from '#server/platform/config/config'\nexport const x = env",
    'app/planted/through.ts': "import { newId } from '../../server/platform/secrets/crypto.ts'\nexport const x = newId",
    'app/planted/innocent-client.tsx': "'use client'\nimport { x } from './through.ts'\nexport const y = x",
    'app/planted/builtin.tsx': "'use client'\nimport { join } from 'node:path'\nexport const x = join",
    'app/planted/package.tsx': "'use client'\nimport pg from 'pg'\nexport const x = pg",
    'app/planted/inline.tsx': "'use client'\nimport { type Env } from '#server/platform/config/config'\nexport const x = (e: Env) => e",
  },
  '_parts are imported only by their owner': {
    'app/planted/a/_parts/innocent.tsx': 'export const x = 1',
    'app/planted/b/page.tsx': "import { x } from '../a/_parts/innocent.tsx'\nexport const y = x",
  },
  'process.env is read only in server/platform/config/config.ts': {
    'server/modules/access/plain.ts': 'export const x = process.env.PORT',
    'server/modules/access/quoted.ts': "export const x = globalThis.process['env']",
    'server/modules/access/taken-apart.ts': 'const { env } = process\nexport const x = env',
    'server/modules/access/imported.ts': "import { env } from 'node:process'\nexport const x = env",
  },
  'pages use only what browsers offer over plain http, except in app/_ui/clipboard.ts': {
    'app/planted/random.tsx': 'export const x = () => crypto.randomUUID()',
    'app/planted/optional.ts': 'export const x = () => window.crypto?.subtle.digest("SHA-256", new Uint8Array())',
    'app/planted/quoted.ts': "export const x = () => navigator['clipboard'].writeText('')",
    'app/planted/taken-apart.ts': 'export const x = () => { const { locks } = navigator; return locks }',
    'app/planted/global.ts': "export const x = () => [caches.open('x'), showSaveFilePicker(), new VideoDecoder({})]",
    'app/embed/planted/_parts/on-window.ts': 'export const x = () => self.cookieStore',
  },
  'a service is read by the file that declares it': {
    'server/modules/videos/member.ts': "import { services } from '../../platform/container.ts'\nexport const x = () => services().keys",
    'server/modules/videos/taken-apart.ts': `import { services } from '../../platform/container.ts'
      export function x() { const { keys } = services(); return keys }`,
    'server/modules/videos/whole.ts': `import { services } from '../../platform/container.ts'
      export function x() { const all = services(); return all.keys }`,
  },
  'Prisma is used only in modules and platform': {
    'app/planted/package.ts': "import { Prisma } from '@prisma/client'\nexport const x = Prisma",
    'server/http/generated.ts': "import type { Video } from '../platform/prisma/client.ts'\nexport type X = Video",
    'server/http/db.ts': "import { db } from '../platform/database/database.ts'\nexport const x = db",
  },
  'modules do not use the file system': {
    'server/modules/videos/read.ts': "import { readFile } from 'node:fs/promises'\nexport const x = readFile",
    'server/modules/uploads/look.ts': "import { statSync } from 'node:fs'\nexport const x = statSync",
  },
  'Next is used only in app, http and trpc': {
    'server/modules/access/cache.ts': "import { revalidatePath } from 'next/cache'\nexport const x = revalidatePath",
    'server/worker/next.ts': "import next from 'next'\nexport const x = next",
    'server/modules/videos/session.ts': "import { getServerSession } from 'next-auth'\nexport const x = getServerSession",
  },
  'links are those of app/_ui/Link.tsx': { 'app/planted/page.tsx': "import Link from 'next/link'\nexport const x = Link" },
  'public routes may import only #server/* and zod': {
    'app/v1/planted/route.ts': "import { NextResponse } from 'next/server'\nexport const GET = NextResponse",
    'app/cdn/planted/route.ts': "import { x } from '../../../server/platform/secrets/crypto.ts'\nexport const GET = x",
  },
  'content is signed for a caller who may have it': {
    'server/modules/dashboard/bearer.ts': "import { BEARER } from '../audit/content-access.ts'\nexport const x = BEARER",
    'server/trpc/service.ts': "import { SERVICE } from '../modules/audit/content-access.ts'\nexport const x = SERVICE",
    'server/modules/dashboard/session.ts':
      "import { masterPlaylistUrl } from '../delivery/sessions/media-permit.ts'\nexport const x = masterPlaylistUrl",
    'server/modules/dashboard/key.ts': "import { keyUrl } from '../delivery/segments/key-url.ts'\nexport const x = keyUrl",
  },
  'imports are static': { 'server/modules/access/computed.ts': 'export const x = (name: string) => import(name)' },
}

/** Returns the graph with these files added. Only they are parsed: no existing file imports them. */
function withPlanted(files: Record<string, string>): typeof graph {
  const planted: Sources = new Map(Object.entries(files))
  return new Map([...graph, ...readModules(planted, new Map([...sources, ...planted]))])
}

describe('a violated rule is reported', () => {
  it.each(Object.entries(VIOLATIONS) as [RuleName, Record<string, string>][])('%s', (name, files) => {
    const problems = RULES[name](withPlanted(files)).join('\n')
    for (const path of Object.keys(files).filter((path) => !path.includes('/innocent'))) expect(problems).toContain(path)
  })

  it('reports nothing for a violation inside a comment or a string', () => {
    const innocent = "// import pg from 'pg' and process.env\nexport const say = 'process.env'"
    const fresh = withPlanted({ 'server/modules/access/innocent.ts': innocent })
    for (const rule of Object.values(RULES)) expect(rule(fresh).join('\n')).not.toContain('innocent')
  })
})

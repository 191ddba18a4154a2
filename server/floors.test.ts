import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readModules, readSources, type Sources } from '../scripts/floors/modules.ts'
import { browserModules, RULES, type RuleName } from '../scripts/floors/rules.ts'

const sources = readSources(join(import.meta.dirname, '..'))
const graph = readModules(sources)

describe('the house', () => {
  it('was really read', () => {
    const imports = [...graph.values()].flatMap((module) => module.imports)
    expect(graph.size).toBeGreaterThan(50)
    expect(imports.filter(({ target }) => target).length).toBeGreaterThan(graph.size)
    expect(browserModules(graph).size).toBeGreaterThan(0)
  })

  it.each(Object.keys(RULES) as RuleName[])('%s', (name) => {
    expect(RULES[name](graph)).toEqual([])
  })
})

/** For each rule, files that break it. Planted among the real ones, each must be reported, but for the `innocent` ones they lean on. */
const VIOLATIONS: Record<RuleName, Record<string, string>> = {
  'every file stands on a known floor': {
    'server/cellar/dig.ts': 'export const dig = 1',
    'server/loose.ts': 'export const loose = 1',
  },
  'names say what is inside, and nothing re-exports': {
    'server/key/index.ts': "export { meter } from './meter.ts'",
    'server/key/utils.ts': 'export const x = 1',
    'server/key/helpers/x.ts': 'export const x = 1',
    'server/key/everything.ts': "export * from './meter.ts'",
  },
  'every import names a file that is there': {
    'server/key/absent.ts': "import './nowhere.ts'",
    'server/key/unbuilt.ts': "import { meter } from './meter'\nexport const x = meter",
    'server/key/tested.ts': "import '../testing/make.ts'",
    'server/key/alias.ts': "import '#server/nowhere'",
  },
  'imports only go down': {
    'server/infra/up.ts': "import { ServiceError } from '../errors.ts'\nexport const x = ServiceError",
    'server/key/up.ts': "export { endpoint as x } from '../rest/endpoint.ts'\nexport const y = 1",
    'server/key/up-type.ts': "export type X = import('../rest/reply.ts').Reply",
    'server/rest/up.ts': "export const x = () => import('../../app/innocent.ts')",
    'server/worker/sideways.ts': "import { endpoint } from '../rest/endpoint.ts'\nexport const x = endpoint",
    'app/innocent.ts': 'export const x = 1',
  },
  'there are no cycles': {
    'server/key/one.ts': "import { two } from '../video/two.ts'\nexport const one = () => two",
    'server/video/two.ts': "import { one } from '../key/one.ts'\nexport const two = () => one",
  },
  'schemas, ledgers and state tables are plain data': {
    'server/quota/schema.ts': "import { env } from '../infra/env.ts'\nexport const x = env",
    'server/quota/state.ts': "import pg from 'pg'\nexport const x = pg",
    'server/jobs.ts': "import { readFileSync } from 'node:fs'\nexport const x = readFileSync",
  },
  'browser code takes plain data and types of server/, nothing else': {
    'app/planted/direct.tsx': "'use client'\nimport { env } from '#server/infra/env'\nexport const x = env",
    'app/planted/through.ts': "import { newId } from '../../server/infra/crypto.ts'\nexport const x = newId",
    'app/planted/innocent-client.tsx': "'use client'\nimport { x } from './through.ts'\nexport const y = x",
    'app/planted/builtin.tsx': "'use client'\nimport { join } from 'node:path'\nexport const x = join",
    'app/planted/package.tsx': "'use client'\nimport pg from 'pg'\nexport const x = pg",
    'app/planted/inline.tsx': "'use client'\nimport { type Env } from '#server/infra/env'\nexport const x = (e: Env) => e",
  },
  "a page's _parts are its own": {
    'app/planted/a/_parts/innocent.tsx': 'export const x = 1',
    'app/planted/b/page.tsx': "import { x } from '../a/_parts/innocent.tsx'\nexport const y = x",
  },
  'process.env is read in server/infra/env.ts alone': {
    'server/key/plain.ts': 'export const x = process.env.PORT',
    'server/key/quoted.ts': "export const x = globalThis.process['env']",
    'server/key/taken-apart.ts': 'const { env } = process\nexport const x = env',
    'server/key/imported.ts': "import { env } from 'node:process'\nexport const x = env",
  },
  'Prisma is used in rooms and infra alone': {
    'app/planted/package.ts': "import { Prisma } from '@prisma/client'\nexport const x = Prisma",
    'server/rest/generated.ts': "import type { Video } from '../infra/prisma/client.ts'\nexport type X = Video",
    'server/rest/db.ts': "import { db } from '../infra/db.ts'\nexport const x = db",
  },
  'rooms know no files': {
    'server/video/read.ts': "import { readFile } from 'node:fs/promises'\nexport const x = readFile",
    'server/upload/look.ts': "import { statSync } from 'node:fs'\nexport const x = statSync",
  },
  'Next is used in app, rest and trpc alone': {
    'server/key/cache.ts': "import { revalidatePath } from 'next/cache'\nexport const x = revalidatePath",
    'server/worker/next.ts': "import next from 'next'\nexport const x = next",
    'server/video/session.ts': "import { getServerSession } from 'next-auth'\nexport const x = getServerSession",
  },
  'public routes import #server/* and zod alone': {
    'app/v1/planted/route.ts': "import { NextResponse } from 'next/server'\nexport const GET = NextResponse",
    'app/cdn/planted/route.ts': "import { x } from '../../../server/infra/crypto.ts'\nexport const GET = x",
  },
  'imports can be followed': { 'server/key/computed.ts': 'export const x = (name: string) => import(name)' },
}

describe('a broken rule is noticed', () => {
  it.each(Object.entries(VIOLATIONS) as [RuleName, Record<string, string>][])('%s', (name, files) => {
    const planted: Sources = new Map([...sources, ...Object.entries(files)])
    const problems = RULES[name](readModules(planted)).join('\n')
    for (const path of Object.keys(files).filter((path) => !path.includes('/innocent'))) expect(problems).toContain(path)
  })

  it('in a file that says so only in a comment or a string, nothing is noticed', () => {
    const innocent = "// import pg from 'pg' and process.env\nexport const say = 'process.env'"
    const planted: Sources = new Map([...sources, ['server/key/innocent.ts', innocent]])
    const fresh = readModules(planted)
    for (const rule of Object.values(RULES)) expect(rule(fresh).join('\n')).not.toContain('innocent')
  })
})

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { walkRoutes } from './http/router.ts'
import { uploadMetadata } from './modules/uploads/schema.ts'
import { appRouter } from './trpc/root.ts'

/** Texts that programs make, compare with what a page displayed, or hash; addresses, in which each byte counts; files. */
const NOT_WRITTEN =
  /[.](?:id|ids|(?!externalId)\w+Ids?|\w*[pP]assword|collection|cursor|token|code|url|eventType|expected|filetype|image|subject)(?=[.[]|$)|^(?:video.putCaptions|captions.saveDraft).text$/

const NFD = 'Cafe\u0301 Cafe\u0301 Cafe\u0301'

/** Returns where a schema accepts a text and leaves it decomposed. */
function leftDecomposed(schema: z.core.$ZodType, path: string): string[] {
  const def = schema._zod.def as unknown as Record<string, unknown> & { type: string }
  const inner = (name: string, at = path) => leftDecomposed(def[name] as z.core.$ZodType, at)
  switch (def.type) {
    case 'string': {
      if (NOT_WRITTEN.test(path)) return []
      const { success, data } = z.safeParse(schema, NFD)
      return success && data !== NFD.normalize() ? [path] : []
    }
    case 'object':
      return Object.entries(def.shape as Record<string, z.core.$ZodType>).flatMap(([name, one]) => leftDecomposed(one, `${path}.${name}`))
    case 'record':
      return [...inner('keyType', `${path}[name]`), ...inner('valueType', `${path}[value]`)]
    case 'array':
      return inner('element', `${path}[]`)
    case 'union':
      return (def.options as z.core.$ZodType[]).flatMap((one) => leftDecomposed(one, path))
    case 'intersection':
      return [...inner('left'), ...inner('right')]
    case 'tuple':
      return (def.items as z.core.$ZodType[]).flatMap((one) => leftDecomposed(one, path))
    // What follows a transformation receives its result.
    case 'pipe':
      if (!z.safeParse(schema, NFD).success) return []
      return (def.in as z.core.$ZodType)._zod.def.type === 'transform' ? inner('out') : inner('in')
    default:
      return def.innerType ? inner('innerType') : []
  }
}

test('every text that the dashboard sends comes to NFC', () => {
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { inputs: z.core.$ZodType[] } }>)
  expect(procedures.length).toBeGreaterThan(100)
  expect(procedures.flatMap(([name, { _def }]) => _def.inputs.flatMap((schema) => leftDecomposed(schema, name)))).toEqual([])
})

test('every text that the API and uploads receive comes to NFC', async () => {
  const routes = await walkRoutes(join(import.meta.dirname, '../app'))
  const contracts = routes
    .flatMap(({ resource }) => Object.values(resource.methods))
    .flatMap((one) => ('contract' in one ? one.contract : []))
  expect(contracts.length).toBeGreaterThan(30)
  const found = contracts.flatMap(({ operationId, params, query, body }) =>
    [params, query, body].flatMap((schema) => (schema ? leftDecomposed(schema, operationId) : [])),
  )
  expect([...found, ...leftDecomposed(uploadMetadata, 'tus')]).toEqual([])
})

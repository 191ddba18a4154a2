import { z } from 'zod'

/** The subset of JSON Schema 2020-12 used here. */
export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  examples?: unknown[]
  description?: string
  'x-additive'?: true
  [keyword: string]: unknown
}

/** Collects schemas with an ID (`meta({ id })`) once; all others refer to them. */
export class Components {
  private readonly named = new Map<string, Schema>()

  /** Returns a zod schema as JSON Schema. `input` is what a caller sends, `output` what it receives. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { $defs = {}, $schema, ...whole } = z.toJSONSchema(schema, { io }) as Schema
    for (const [id, definition] of Object.entries($defs)) this.named.set(id, tidy(definition))
    const { id } = schema.meta() ?? {}
    if (!id || whole.$ref) return tidy(whole)
    this.named.set(id, tidy(whole))
    return { $ref: `#/components/schemas/${id}` }
  }

  all(): Record<string, Schema> {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  byRef(ref: string): Schema | undefined {
    return this.named.get(ref.slice(ref.lastIndexOf('/') + 1))
  }
}

/**
 * Removes what zod writes for its own parsing and does not promise to callers: objects may gain fields, integers end where JavaScript's do,
 * and `format` already implies a date's pattern.
 */
function tidy(schema: Schema): Schema {
  const result: Schema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'id' || (keyword === 'additionalProperties' && value === false)) continue
    if (keyword === 'pattern' && schema.format === 'date-time') continue
    if ((keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER))
      continue
    if (keyword === '$ref') result.$ref = (value as string).replace('#/$defs/', '#/components/schemas/')
    else if (keyword === 'properties') result.properties = mapValues(value as Record<string, Schema>, tidy)
    else if (Array.isArray(value) && keyword !== 'examples') result[keyword] = value.map((item) => (isSchema(item) ? tidy(item) : item))
    else result[keyword] = isSchema(value) ? tidy(value) : value
  }
  return result
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = <In, Out>(object: Record<string, In>, map: (value: In) => Out) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))

/** Returns an example of a schema, from its own `examples` or its items'. */
export function exampleOf(schema: Schema, components: Components): unknown {
  const target = schema.$ref ? (components.byRef(schema.$ref) ?? schema) : schema
  if (target.examples) return target.examples[0]
  return target.items ? [exampleOf(target.items, components)] : undefined
}

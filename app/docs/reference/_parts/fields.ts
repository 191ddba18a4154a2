import type { Schema } from '#server/http/openapi/openapi-schema'
import { addressOf, nameOf, schemaNamed } from './operations.ts'

/** A value of an object as the reference shows it. */
export interface Field {
  name: string
  type: string
  /** The section that describes the object, where it has one of its own. */
  href?: string
  required: boolean
  description?: string
  /** Bounds, permitted values and the default, a text each. */
  facts: string[]
  /** Values of a nested object, or of the items of a list. */
  fields: Field[]
}

/** Returns the values of an object's schema. Objects with a section of their own are not entered. */
export function fieldsOf(schema: Schema): Field[] {
  const object = resolved(schema)
  const { properties = {}, required = [] } = object
  return Object.entries(properties).map(([name, value]) => fieldOf(name, value, required.includes(name)))
}

/** Returns one value as the reference shows it. */
export function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const described = resolved(schema)
  const core = nonNull(schema)
  const href = hrefOf(core) ?? hrefOf(core.items ?? {})
  const inner = resolved(nonNull(resolved(core).items ?? core))
  const description = schema.description ?? described.description
  return {
    name,
    type: typeOf(schema),
    ...(href && { href }),
    required,
    ...(description && { description }),
    facts: [...factsOf(resolved(core), description), ...(resolved(core).items ? factsOf(inner) : [])],
    fields: href ? [] : fieldsOf(inner),
  }
}

const hrefOf = ({ $ref }: Schema) => ($ref ? addressOf(nameOf($ref)) : undefined)

const variantsOf = (schema: Schema) => ((schema.anyOf ?? schema.oneOf ?? []) as Schema[]).filter(({ type }) => type !== 'null')

/** Returns the schema without `null`, where that leaves one. */
function nonNull(schema: Schema): Schema {
  const variants = variantsOf(schema)
  return variants.length === 1 ? (variants[0] as Schema) : schema
}

function resolved(schema: Schema): Schema {
  return schema.$ref ? schemaNamed(nameOf(schema.$ref)) : schema
}

/** Returns the type in words: “array of string”, “integer or null”. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return addressOf(nameOf(schema.$ref)) ? nameOf(schema.$ref) : typeOf(resolved(schema))
  const all = (schema.anyOf ?? schema.oneOf ?? []) as Schema[]
  if (all.length > 0) return [...new Set(all.map(typeOf))].join(' or ')
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`
  if (schema.type === 'object' && schema.additionalProperties && !schema.properties) {
    return `object of ${typeOf(schema.additionalProperties as Schema)}`
  }
  return schema.type ?? (schema.const === undefined ? 'any' : typeof schema.const)
}

const quoted = (values: unknown[]) => values.map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``)

/** Returns the bounds of a value, a text each. */
function factsOf(schema: Schema, description = ''): string[] {
  const { enum: values, const: only, format, default: usual, minimum, maximum, minLength, maxLength, maxItems } = schema
  const facts: string[] = []
  if (Array.isArray(values)) facts.push(`One of ${quoted(values).join(', ')}.`)
  if (only !== undefined) facts.push(`Always ${quoted([only])[0]}.`)
  if (format === 'date-time' && !description.includes('ISO 8601')) facts.push('A time in ISO 8601.')
  if (format && format !== 'date-time') facts.push(`Format: ${format}.`)
  if (minimum !== undefined && maximum !== undefined) facts.push(`From ${count(minimum)} to ${count(maximum)}.`)
  else if (minimum !== undefined) facts.push(`At least ${count(minimum)}.`)
  else if (maximum !== undefined) facts.push(`At most ${count(maximum)}.`)
  if (Number(minLength) > 1 && maxLength !== undefined) facts.push(`${count(minLength)} to ${count(maxLength)} characters.`)
  else if (maxLength !== undefined) facts.push(`At most ${count(maxLength)} characters.`)
  if (maxItems !== undefined) facts.push(`At most ${count(maxItems)} items.`)
  if (usual !== undefined) facts.push(`Defaults to ${quoted([usual])[0]}.`)
  return facts
}

const count = (value: unknown) => Number(value).toLocaleString('en')

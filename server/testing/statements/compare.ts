import type { Described } from './describe.ts'
import type { Catalog } from './nullability.ts'
import type { Kinds, Statement } from './read.ts'

type Kind = Kinds['names'] extends Set<infer Name> ? Name : never

const NUMBERS = new Set(['int2', 'int4', 'float4', 'float8', 'oid'])
const DATES = new Set(['date', 'timestamp', 'timestamptz'])
const JSON_TYPES = new Set(['json', 'jsonb'])

/** Returns where a statement's declared row and parameters differ from what PostgreSQL says. */
export function differences(statement: Statement, { parameters, columns }: Described, catalog: Catalog): string[] {
  const found: string[] = []
  const { row, values, through } = statement
  for (const [name, { kinds, optional }] of row ?? []) {
    const column = columns.find((one) => one.name === name)
    if (!column) {
      if (!optional) found.push(`declares ${name}, which is no column`)
      continue
    }
    const wrong = wrongValue(column.type, kinds, through, catalog)
    if (wrong) found.push(`declares ${name} as ${shown(kinds)}, but it is ${wrong}`)
    if (column.nullable && !kinds.names.has('null') && !kinds.names.has('any'))
      found.push(`declares ${name}, which may be null, without null`)
  }
  if (values && values.length !== parameters.length) found.push(`passes ${values.length} values for ${parameters.length} parameters`)
  for (const [index, kinds] of (values ?? []).entries()) {
    const type = parameters[index]
    if (type === undefined) continue
    const wrong = [...kinds.names].filter((kind) => !isAccepted(type, kind, kinds, catalog))
    if (wrong.length > 0) found.push(`passes ${shown(kinds)} as $${index + 1}, which is ${typeName(type, catalog)}`)
  }
  return found
}

const typeName = (type: number, catalog: Catalog) => catalog.types.get(type)?.sql ?? String(type)

function shown({ names, of, literals }: Kinds): string {
  const words = [...names].map((name) =>
    name === 'array' && of ? `(${shown(of)})[]` : name === 'string' && literals ? literals.join(' | ') : name,
  )
  return words.join(' | ')
}

/** The kind of JavaScript value that a driver makes of a type; undefined for JSON, whose content has no type. */
function kindOf(name: string, through: Statement['through']): Kind | undefined {
  if (JSON_TYPES.has(name)) return undefined
  if (name === 'bool') return 'boolean'
  if (name === 'bytea') return 'bytes'
  if (DATES.has(name)) return 'Date'
  if (name === 'int8') return through === 'pg' ? 'string' : 'bigint'
  if (name === 'numeric') return through === 'pg' ? 'string' : 'Decimal'
  return NUMBERS.has(name) ? 'number' : 'string'
}

/** Returns what a column is, if its declaration says otherwise. */
function wrongValue(oid: number, kinds: Kinds, through: Statement['through'], catalog: Catalog): string | undefined {
  const type = catalog.types.get(oid)
  if (!type || kinds.names.has('any')) return undefined
  const declared = [...kinds.names].filter((name) => name !== 'null' && name !== 'undefined')
  const element = catalog.types.get(type.element)
  // pg leaves arrays of types that it does not know as text.
  if (element && !(through === 'pg' && element.kind === 'e')) {
    if (declared.length !== 1 || declared[0] !== 'array') return type.sql
    return kinds.of && wrongValue(type.element, kinds.of, through, catalog) && type.sql
  }
  const wanted = kindOf(type.name, through)
  if (wanted && (declared.length !== 1 || declared[0] !== wanted)) return `${type.sql}, ${wanted} in JavaScript`
  const unknown = kinds.literals && type.labels?.find((label) => !kinds.literals?.includes(label))
  return unknown ? `${type.sql}, which has ${unknown}` : undefined
}

/** Whether a driver sends a kind of value as a parameter of the type. */
function isAccepted(oid: number, kind: Kind, kinds: Kinds, catalog: Catalog): boolean {
  const type = catalog.types.get(oid)
  if (!type || kind === 'null' || kind === 'undefined' || kind === 'any') return true
  if (JSON_TYPES.has(type.name)) return kind === 'string' || kind === 'object'
  if (type.element)
    return kind === 'array' && (!kinds.of || [...kinds.of.names].every((one) => isAccepted(type.element, one, {} as Kinds, catalog)))
  if (type.name === 'bool') return kind === 'boolean'
  if (type.name === 'bytea') return kind === 'bytes'
  if (DATES.has(type.name)) return kind === 'Date' || kind === 'string'
  if (type.name === 'int8' || type.name === 'numeric') return kind === 'number' || kind === 'bigint' || kind === 'string'
  if (NUMBERS.has(type.name)) return kind === 'number'
  return kind === 'string'
}

import { isDeepStrictEqual } from 'node:util'

/**
 * Returns the violations of a JSON Schema, a line each; empty when the value is valid. Supports the keywords that API descriptions use for
 * JSON bodies; reports any other keyword that could refuse a value, so that no value passes unchecked.
 */
export function problems(schema, value, root, at = '$') {
  if (schema === true || schema === undefined) return []
  if (schema.$ref) return problems(resolve(schema.$ref, root), value, root, at)
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (SILENT.has(keyword) || keyword.startsWith('x-')) return []
    const judge = KEYWORDS[keyword]
    return judge ? judge(wanted, value, { root, at, schema }) : [`${at}: cannot judge "${keyword}"`]
  })
}

const SILENT = new Set(['description', 'title', 'examples', 'example', 'default', '$comment', 'deprecated', 'readOnly', 'writeOnly'])

const resolve = (ref, root) =>
  ref
    .slice(2)
    .split('/')
    .reduce((node, part) => node?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], root)

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  null: (value) => value === null,
}

const FORMATS = {
  uri: URL.canParse,
  'date-time': (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
}

const unless = (holds, line) => (holds ? [] : [line])

const KEYWORDS = {
  type: (types, value, { at }) =>
    unless(
      [types].flat().some((type) => TYPES[type]?.(value)),
      `${at}: not ${[types].flat().join(' or ')}`,
    ),
  const: (wanted, value, { at }) => unless(isDeepStrictEqual(value, wanted), `${at}: not ${JSON.stringify(wanted)}`),
  enum: (list, value, { at }) =>
    unless(
      list.some((one) => isDeepStrictEqual(one, value)),
      `${at}: ${JSON.stringify(value)} is none of the enum`,
    ),
  pattern: (source, value, { at }) =>
    unless(typeof value !== 'string' || new RegExp(source, 'u').test(value), `${at}: does not match ${source}`),
  format: (name, value, { at }) => unless(typeof value !== 'string' || !FORMATS[name] || FORMATS[name](value), `${at}: no ${name}`),
  minimum: (least, value, { at }) => unless(typeof value !== 'number' || value >= least, `${at}: less than ${least}`),
  maximum: (most, value, { at }) => unless(typeof value !== 'number' || value <= most, `${at}: more than ${most}`),
  minLength: (least, value, { at }) => unless(typeof value !== 'string' || value.length >= least, `${at}: shorter than ${least}`),
  maxLength: (most, value, { at }) => unless(typeof value !== 'string' || value.length <= most, `${at}: longer than ${most}`),
  required: (names, value, { at }) =>
    isObject(value) ? names.filter((name) => !(name in value)).map((name) => `${at}: lacks ${name}`) : [],
  properties: (schemas, value, { root, at }) =>
    isObject(value)
      ? Object.entries(schemas).flatMap(([name, schema]) => (name in value ? problems(schema, value[name], root, `${at}.${name}`) : []))
      : [],
  additionalProperties: (schema, value, { root, at, schema: { properties = {} } }) => {
    if (!isObject(value)) return []
    const others = Object.keys(value).filter((name) => !(name in properties))
    return others.flatMap((name) => (schema === false ? [`${at}: surplus ${name}`] : problems(schema, value[name], root, `${at}.${name}`)))
  },
  items: (schema, value, { root, at }) =>
    Array.isArray(value) ? value.flatMap((item, index) => problems(schema, item, root, `${at}[${index}]`)) : [],
  allOf: (schemas, value, { root, at }) => schemas.flatMap((schema) => problems(schema, value, root, at)),
  anyOf: (schemas, value, { root, at }) =>
    unless(
      schemas.some((schema) => problems(schema, value, root, at).length === 0),
      `${at}: fits none of anyOf`,
    ),
  oneOf: (schemas, value, { root, at }) =>
    unless(schemas.filter((schema) => problems(schema, value, root, at).length === 0).length === 1, `${at}: fits not exactly one of oneOf`),
}

import { ServiceError } from '../errors.ts'
import { normalized } from '../platform/text/schema.ts'

/**
 * Parses a query in which `name[key]=value` makes an object `name`. A repeated parameter becomes an array, which no schema of a single
 * value accepts; keys are repeated in whichever Unicode form. So does an object named `__proto__`, which readers understand differently.
 * Errors: INVALID_REQUEST for escapes that are not UTF-8.
 */
export function readQuery(search: string): Record<string, unknown> {
  refuseOtherEncodings(search)
  const plain = new Map<string, string | string[]>()
  const deep = new Map<string, Map<string, string | string[]>>()
  for (const [parameter, value] of new URLSearchParams(search)) {
    const [, name, key] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(parameter) ?? []
    if (name === undefined || key === undefined) add(plain, parameter, value)
    else if (key === '__proto__') plain.set(name, [value])
    else {
      const texts = deep.get(name) ?? new Map()
      deep.set(name, texts)
      add(texts, normalized(key), value)
    }
  }
  const objects = [...deep].map(([name, texts]) => [name, plain.has(name) ? [] : Object.fromEntries(texts)] as const)
  return Object.fromEntries<unknown>([...plain, ...objects])
}

/** A decoder would put U+FFFD in place of each letter that a client wrote in another encoding. */
function refuseOtherEncodings(search: string): void {
  for (const pair of search.split('&'))
    try {
      for (const [escapes] of pair.matchAll(/(?:%[\da-f]{2})+/gi)) decodeURIComponent(escapes)
    } catch {
      const [path] = pair.split('=', 1)
      throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'query', path, message: 'Percent-encode this parameter as UTF-8.' }] })
    }
}

function add(texts: Map<string, string | string[]>, name: string, value: string): void {
  const earlier = texts.get(name)
  texts.set(name, earlier === undefined ? value : [earlier, value].flat())
}

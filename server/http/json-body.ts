import { ServiceError } from '../errors.ts'
import { normalized } from '../platform/text/schema.ts'
import { type Call, refuseEncodedBody } from './reply.ts'

/**
 * Reads a request's body as JSON. An empty body is `{}`. Errors: UNSUPPORTED_MEDIA_TYPE for another type or a compressed body;
 * INVALID_REQUEST for a body that is not UTF-8 or not JSON, and for an object with a repeated name, in whichever Unicode form, or the
 * name `__proto__`, which readers understand differently.
 */
export async function readJson(call: Call): Promise<unknown> {
  const bytes = await call.body()
  if (bytes.length === 0) return {}
  call.sent = bytes
  refuseEncodedBody(call.header('content-encoding'))
  const type = call.header('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type.trim())) throw new ServiceError('UNSUPPORTED_MEDIA_TYPE')
  const text = decode(bytes)
  const value = parsed(text)
  const name = refusedName(text)
  if (name !== undefined) throw invalid(`The name ${JSON.stringify(name)} is not accepted, or appears twice in one object.`)
  return value
}

/**
 * Reads the body of an operation that needs none: no body and an empty object, of any type, are `{}`. Errors: those of `readJson`.
 */
export async function readOptional(call: Call): Promise<unknown> {
  const isEmpty = /^\s*(?:\{\s*\}\s*)?$/.test(Buffer.from(await call.body()).toString('latin1'))
  return isEmpty ? {} : readJson(call)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('The body is not UTF-8.')
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body is not JSON.')
  }
}

const invalid = (message: string) => new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: '', message }] })

/** A text, and whether a colon follows it; or a bracket. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g

/** Returns a name in valid JSON that occurs twice in one object, or that sets a prototype. Undefined if there is none. */
function refusedName(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (const [token, text, colon] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (text && colon) {
      const name = normalized(JSON.parse(text) as string)
      const names = open.at(-1)
      if (name === '__proto__' || names?.has(name)) return name
      names?.add(name)
    }
  }
}

import '../platform/text/schema-messages.ts'
import type { z } from 'zod'
import { ServiceError } from '../errors.ts'

/** Returns a part of a request as its schema reads it. Errors: INVALID_REQUEST with each wrong field. `where`: the part, such as `body`. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const isRepeated = (path: PropertyKey[]) =>
    where === 'query' && Array.isArray(path.reduce((held, name) => (held as Record<PropertyKey, unknown> | undefined)?.[name], value))
  const details = result.error.issues.map(({ path, message }) => ({
    in: where,
    path: path.join('.'),
    message: isRepeated(path) ? 'Send this parameter once.' : message,
  }))
  throw new ServiceError('INVALID_REQUEST', { details })
}

import type { Operation, Parameter } from '../operations'
import { SAMPLES } from '../samples'
import type { ConsoleOperation } from './request'

/** A video that every test key can read and that plays, so that a first request succeeds. */
const FIXTURE = 'vid_test_completed'

/** Returns what the console needs to know of an operation. Caching headers are left out: the console sends each request without a cache. */
export function consoleOf({ operationId, method, path, security, parameters, requestBody }: Operation): ConsoleOperation {
  const { body = {} } = SAMPLES[operationId] ?? {}
  const takesJson = requestBody !== undefined && 'application/json' in requestBody.content
  const scope = security[0]?.ApiKey?.[0]
  return {
    operationId,
    method,
    path,
    ...(scope && { scope }),
    parameters: parameters
      .filter(({ name }) => name !== 'If-None-Match')
      .map((one) => ({ name: one.name, in: one.in, required: one.required, value: startOf(one, method) })),
    ...(takesJson && { body: JSON.stringify(body, null, 2) }),
    takesFile: requestBody !== undefined && !takesJson,
  }
}

function startOf({ name, in: place, required, example }: Parameter, method: string): string {
  if (!required) return ''
  // A change of a fixture is refused: the caller enters a video of the account.
  if (name === 'videoId') return method === 'GET' || place !== 'path' ? FIXTURE : ''
  return name === 'eventType' || name === 'language' ? String(example ?? 'en') : ''
}

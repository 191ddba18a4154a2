import { TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import superjson, { type SuperJSONResult } from 'superjson'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import type { DashboardContext, ErrorData } from './init.ts'
import { openProcedure, router } from './init.ts'

const SECRET = 'a detail of the server'
const failing = (error: () => unknown) =>
  openProcedure.query(() => {
    throw error()
  })

const procedures = router({
  ofTable: openProcedure.input(z.string()).query(({ input }) => {
    throw new ServiceError(input as ErrorCode)
  }),
  own: failing(() => new ServiceError('CONFLICT', { message: 'Another key has this name.' })),
  bug: failing(() => new TypeError(SECRET)),
  text: failing(() => SECRET),
  library: failing(() => new TRPCError({ code: 'UNPROCESSABLE_CONTENT', message: SECRET })),
  noDatabase: failing(() => Object.assign(new Error(SECRET), { code: 'ECONNREFUSED' })),
  tooSlow: failing(() => new DOMException(SECRET, 'TimeoutError')),
  change: openProcedure.mutation(() => 'changed'),
})

const context = { visitor: { address: '192.0.2.1' }, requestId: 'req_test', session: undefined, sameOrigin: false } as DashboardContext

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; error: { message: string; data: ErrorData } }> {
  const req = new Request(`http://reelgate.test/api/trpc/${path}`, init)
  const response = await fetchRequestHandler({ endpoint: '/api/trpc', req, router: procedures, createContext: () => context })
  const { error } = (await response.json()) as { error: SuperJSONResult }
  return { status: response.status, error: superjson.deserialize(error) }
}
const input = (value: unknown) => `input=${encodeURIComponent(superjson.stringify(value))}`

describe('errors of the dashboard', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('%s has the message and the status of the table', async (code) => {
    const { status, error } = await ask(`ofTable?${input(code)}`)
    expect([status, error.message, error.data]).toMatchObject([
      // tRPC has no status 507; `data.status` has it.
      ERRORS[code].status,
      ERRORS[code].message,
      { code, status: ERRORS[code].status, requestId: 'req_test' },
    ])
  })

  it('keeps the message that an error of the table brings', async () => {
    expect((await ask('own')).error).toMatchObject({ message: 'Another key has this name.', data: { code: 'CONFLICT', status: 409 } })
  })

  it.each<[ErrorCode, string, string, RequestInit?]>([
    ['INTERNAL_ERROR', 'an unforeseen error', 'bug'],
    ['INTERNAL_ERROR', 'a thrown text', 'text'],
    ['INTERNAL_ERROR', 'an error of the library', 'library'],
    ['SERVICE_UNAVAILABLE', 'a database that does not respond', 'noDatabase'],
    ['SERVICE_UNAVAILABLE', 'a step that took too long', 'tooSlow'],
    ['INVALID_REQUEST', 'an input of the wrong type', `ofTable?${input(5)}`],
    ['INVALID_REQUEST', 'an input that is not JSON', 'ofTable?input={'],
    ['NOT_FOUND', 'an unknown procedure', 'no.such'],
    ['METHOD_NOT_ALLOWED', 'the wrong method', 'change'],
    [
      'UNSUPPORTED_MEDIA_TYPE',
      'a body of the wrong type',
      'change',
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } },
    ],
  ])('answers with %s for %s', async (code, _, path, init) => {
    const { error } = await ask(path, init)
    expect([error.data.code, error.message]).toEqual([code, ERRORS[code].message])
    expect(JSON.stringify(error)).not.toContain(SECRET)
  })
})

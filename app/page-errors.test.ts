import { TRPCError } from '@trpc/server'
import { afterEach, expect, it, vi } from 'vitest'
import { asServiceError } from '#server/errors'
import { expectLoggedErrors, logLines } from '#server/testing/logs'
import * as instrumentation from '../instrumentation.ts'
import { pageDigest, readDigest } from './_ui/page/page-digest.ts'

expectLoggedErrors(/page could not be rendered/)
afterEach(() => void vi.unstubAllEnvs())

it('logs the wait that ran out, its stack and the request id that the page shows, without the address', async () => {
  const lines = logLines()
  const waited = new Error('timeout exceeded when trying to connect')
  const known = asServiceError(waited)
  const thrown = Object.assign(new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: known.message, cause: known }), {
    digest: pageDigest('req_shown', true),
  })
  vi.stubEnv('NEXT_RUNTIME', 'nodejs')
  const request = { path: '/?secret=hidden', method: 'GET', headers: {} }
  const context = {
    routerKind: 'App Router',
    routePath: '/(dashboard)/(overview)',
    routeType: 'render',
    revalidateReason: undefined,
  } as const
  await instrumentation.onRequestError(thrown, request, context)
  expect(lines).toMatchObject([{ level: 'error', requestId: 'req_shown', route: '/(dashboard)/(overview)' }])
  expect(lines[0]).toHaveProperty('err.stack', expect.stringContaining(waited.stack as string))
  expect(JSON.stringify(lines)).not.toContain('hidden')
})

it('the digest of an error keeps its request id and whether the server was too busy; another digest is an id', () => {
  expect(readDigest(pageDigest('req_1', true))).toEqual({ requestId: 'req_1', isWait: true })
  expect(readDigest(pageDigest('req_1', false))).toEqual({ requestId: 'req_1', isWait: false })
  expect(readDigest('1234')).toEqual({ requestId: '1234', isWait: false })
  expect(readDigest(undefined)).toEqual({ requestId: undefined, isWait: false })
})

import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { appDir } from './http-server.ts'
import { pageRoutes } from './page-routes.ts'
import { describeRequests, RequestCaller } from './request-caller.ts'

it('names a request without what its path and its query may hold', () => {
  const name = describeRequests(pageRoutes(appDir))
  const named = (method: string, url: string) => name(new RequestCaller({ method, url } as IncomingMessage))
  expect(named('GET', '/cdn/hls/vid_0123456789012345678901/a-permit/captions-en.vtt?key=secret')).toBe(
    'GET /cdn/hls/vid_0123456789012345678901/{permit}/{file}',
  )
  expect(named('PUT', '/nowhere/secret')).toBe('PUT *')
  expect(name({ accountId: 'acc_of_no_request' })).toBe('*')
})

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { rawConnection } from '../testing/raw.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

await testDatabase()

let baseUrl: string
beforeAll(async () => {
  const server = await makeHttpServer((req, res) => res.end(req.url))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => closeHttpServer(server, 500)
})

const asked = async (path: string) => (await send(baseUrl + path)).body

test('the pages never receive an address that cannot be decoded', async () => {
  for (const path of ['/videos/%ff', '/embed/%', '/api/trpc/%c3%28?input=1', '/%2']) expect(await asked(path)).toBe('/not-found')
  for (const path of ['/videos/%C3%A9', '/sign-in?from=%ff', '/', '/docs/errors']) expect(await asked(path)).toBe(path)
})

test.each([
  ['GET http://other.example/docs?a=b', '/docs?a=b'],
  ['GET http://[/docs', '/docs'],
  ['GET http://other.example', '/not-found'],
  ['OPTIONS *', '/not-found'],
  ['GET *', '/not-found'],
])('%s reaches the pages as %s', async (line, path) => {
  const connection = await rawConnection(baseUrl, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  expect(await connection.ended).toMatchObject([{ status: 200, body: path }])
})

test('serves an address in absolute form like any other', async () => {
  const connection = await rawConnection(baseUrl, 'GET http://other.example/v1/video HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect((await connection.ended).map(({ status, body }) => [status, JSON.parse(body).error.code])).toEqual([[401, 'API_KEY_REQUIRED']])
})

test('the pages never receive a TRACE', async () => {
  const { status, headers } = await send(`${baseUrl}/docs`, { method: 'TRACE' })
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST'])
})

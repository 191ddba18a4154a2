import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeHttpServer, makeHttpServer } from './http.ts'
import { send } from './testing/client.ts'
import { testDatabase } from './testing/database.ts'

await testDatabase()

test('the pages are never asked for an address that cannot be decoded', async () => {
  const server = await makeHttpServer((req, res) => res.end(req.url))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const asked = async (path: string) => (await send(baseUrl + path)).body
  for (const path of ['/videos/%ff', '/embed/%', '/api/trpc/%c3%28?input=1', '/%2']) expect(await asked(path)).toBe('/not-found')
  for (const path of ['/videos/%C3%A9', '/sign-in?from=%ff', '/', '/docs/errors']) expect(await asked(path)).toBe(path)
  await closeHttpServer(server, 500)
})

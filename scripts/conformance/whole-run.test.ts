import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { wholeRunChecks } from './checks/whole-run.mjs'
import { Seen } from './expect.mjs'

it('the event loop turns before each response is judged, so that the client notices connections that the server closes', async () => {
  const exchange = { method: 'GET', path: '/v1/video', status: 200, headers: {}, text: '', length: 0 }
  const client = { exchanges: Array.from({ length: 50 }, () => exchange), request: async () => ({ json: { paths: {} } }) }
  const described = wholeRunChecks.find(({ id }) => id === 'run.described')
  let turns = 0
  let isDone = false
  const counted = (async () => {
    for (; !isDone; turns++) await turn()
  })()
  await described?.run(new Seen(), { client } as never)
  isDone = true
  await counted
  expect(turns).toBeGreaterThan(client.exchanges.length - 1)
})

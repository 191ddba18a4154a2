import { createSocket } from 'node:dgram'
import { type LookupAddress, Resolver } from 'node:dns'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nameLookUp } from './look-up-name.ts'

/** A name server: its answers are A records of `v4.test`, and silence about `silent.test`. */
const server = createSocket('udp4', (question, { port, address }) => {
  const isOfV4 = question.includes('\x02v4\x04test')
  if (question.includes('\x06silent')) return
  const [type] = question.subarray(question.indexOf(0, 12) + 2)
  const answers = isOfV4 && type === 1 ? [Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 192, 0, 2, 7])] : []
  const reply = Buffer.concat([question.subarray(0, question.indexOf(0, 12) + 5), ...answers])
  reply.writeUInt16BE(isOfV4 ? 0x8180 : 0x8183, 2)
  for (const [at, count] of [1, answers.length, 0, 0].entries()) reply.writeUInt16BE(count, 4 + 2 * at)
  server.send(reply, port, address)
})
const resolver = new Resolver({ timeout: 60_000, tries: 1 })
beforeAll(async () => {
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  resolver.setServers([`127.0.0.1:${server.address().port}`])
})
afterAll(() => server.close())

const lookUp = (host: string) =>
  new Promise<LookupAddress[]>((resolve, reject) =>
    nameLookUp(resolver)(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  )

it('resolves a name while many others wait for a name server that is silent', async () => {
  const waiting = Array.from({ length: 50 }, (_, at) => lookUp(`${at}.silent.test`).catch(({ code }: { code: string }) => code))
  expect(await lookUp('v4.test')).toEqual([{ address: '192.0.2.7', family: 4 }])
  await expect(lookUp('absent.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  resolver.cancel()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['EAI_AGAIN']))
})

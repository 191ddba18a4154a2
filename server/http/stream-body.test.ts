import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { streamBody } from './stream-body.ts'

const PARTS = 40
const SIZE = 256 * 1024

let server: Server
let address: string
let body: () => AsyncIterable<Uint8Array>
let over: Promise<void>
let sent: number | undefined

beforeAll(async () => {
  server = createServer((_req, res) => {
    res.writeHead(200)
    over = streamBody(body(), res, (bytes) => {
      sent = bytes
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

const ask = () => new Promise<IncomingMessage>((resolve, reject) => get(address, { agent: false }, resolve).on('error', reject))

/** Yields parts that hold the number of their position, all in the same memory. */
async function* numbered(ended = () => {}): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(SIZE)
  try {
    for (let at = 0; at < PARTS; at++) yield memory.fill(at)
  } finally {
    memory.fill(255)
    ended()
  }
}

test('sends each part unchanged, although its memory is reused for the next, however slow the reader', async () => {
  body = () => numbered()
  const answer = await ask()
  let at = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    for (const byte of part) if (byte !== Math.floor(at++ / SIZE)) throw new Error(`byte ${at} is of part ${byte}`)
    await new Promise(setImmediate)
  }
  expect(at).toBe(PARTS * SIZE)
  await over
  expect(sent).toBe(PARTS * SIZE)
})

test('ends the body when the reader disconnects', async () => {
  const ended = new Promise<void>((resolve) => {
    body = () => numbered(resolve)
  })
  const answer = await ask()
  answer.once('data', () => answer.destroy())
  await ended
  await over
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(PARTS * SIZE)
})

test('aborts the response when the body fails', async () => {
  body = async function* () {
    yield Buffer.from('half')
    throw new Error('the disk is gone')
  }
  const answer = await ask()
  await expect(answer.toArray()).rejects.toThrow(/aborted/)
})

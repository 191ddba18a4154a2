import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectLoggedErrors } from '../testing/logs.ts'
import { provide } from '../testing/settings.ts'
import { writeBatched } from './batch-writer.ts'

expectLoggedErrors(/Invalid character in header content/)

let server: Server
let port: number

beforeAll(async () => {
  provide({ BASE_URL: 'http://localhost', LOG_LEVEL: 'error' })
  server = createServer((req, res) => {
    const at = req.url as string
    // A header that HTTP cannot carry: the response cannot be written.
    const headers = at.startsWith('/bad') ? { 'X-At': 'two\nlines' } : { 'X-At': at }
    writeBatched(res, { status: 200, headers, body: `body of ${at}` })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const bodyOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()

test('a response that cannot be written ends its own connection; the others of its batch arrive', async () => {
  const paths = Array.from({ length: 100 }, (_, i) => (i % 10 === 3 ? `/bad/${i}` : `/good/${i}`))
  const answers = await Promise.all(paths.map((path) => bodyOf(path).catch(() => 'cut')))
  expect(answers).toEqual(paths.map((path) => (path.startsWith('/bad') ? 'cut' : `body of ${path}`)))
})

test('requests sent at once on one connection receive their responses in order', async () => {
  const socket = connect(port, '127.0.0.1')
  const paths = Array.from({ length: 80 }, (_, i) => `/good/${i}`)
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${path === '/good/79' ? 'Connection: close\r\n' : ''}\r\n`).join(''))
  let text = ''
  for await (const part of socket) text += part
  expect(text.match(/body of \S+?(?=HTTP|$)/g)).toEqual(paths.map((path) => `body of ${path}`))
})

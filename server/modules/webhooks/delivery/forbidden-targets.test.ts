import type { LookupAddress } from 'node:dns'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Resolve } from '../../../platform/network/look-up-name.ts'
import { outboundUrlRefusal } from '../../../platform/network/outbound-url-policy.ts'
import { ssrfSafeAgent } from '../../../platform/network/ssrf-safe-agent.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { ReceiverRequest, type RequestResult, targetOf } from './receiver-request.ts'

// Vitest sets BASE_URL to '/'.
provide({ BASE_URL: 'http://localhost' })

/** Counts connections on every address of this machine. */
let canary: Server
let reached = 0
let port = 0
beforeAll(async () => {
  canary = createServer((socket: Socket) => {
    reached++
    socket.destroy()
  })
  await new Promise<void>((resolve) => canary.listen({ port: 0, host: '::', ipv6Only: false }, resolve))
  port = (canary.address() as { port: number }).port
})
afterAll(() => new Promise((resolve) => canary.close(resolve)))

/** Non-public addresses in the form of DNS records. */
const V4 = [
  ['this host', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  ['private', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.255'],
  ['loopback', '127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254'],
  ['link-local and metadata', '169.254.0.1', '169.254.169.254', '169.254.169.253', '169.254.170.2', '169.254.255.255'],
  ['metadata elsewhere', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ['CGNAT', '100.64.0.1', '100.127.255.254'],
  ['protocol assignments', '192.0.0.1', '192.0.0.170', '192.88.99.1'],
  ['documentation', '192.0.2.1', '198.51.100.7', '203.0.113.9'],
  ['benchmarking', '198.18.0.1', '198.19.255.254'],
  ['multicast', '224.0.0.1', '224.0.0.251', '239.255.255.250'],
  ['reserved and broadcast', '240.0.0.1', '250.1.2.3', '255.255.255.254', '255.255.255.255'],
] as const
const V6 = [
  ['unspecified and loopback', '::', '::1'],
  ['compatible', '::127.0.0.1', '::7f00:1', '::a00:1', '::a9fe:a9fe', '::2'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  [
    'NAT64',
    '64:ff9b::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '64:ff9b:1:7f00:1::',
    '64:ff9b::c0a8:101',
    '64:ff9b::6440:1',
  ],
  ['6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::', '2002:c0a8:1::1', '2002:e000:1::', '2002:6440:1::1'],
  ['Teredo', '2001::1', '2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
  ['unique local', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
  ['link-local', 'fe80::1', 'fe80::a9fe:a9fe', 'febf::1'],
  ['site-local', 'fec0::1', 'feff::1'],
  ['multicast', 'ff02::1', 'ff05::2', 'ff0e::1'],
  ['documentation', '2001:db8::1', '3fff::1'],
  ['other special', '100::1', '2001:2::1', '2001:10::1', '2001:20::1', '5f00::1', '4000::1', '8000::1', '2620:4f:8000::1'],
] as const
const flat = (table: readonly (readonly string[])[]) => table.flatMap(([, ...addresses]) => addresses)
const addresses = [...flat(V4), ...flat(V6)]

/** Spellings of loopback and metadata addresses that bypass naive filters. */
const SPELLINGS = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'foo.localhost.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0x7F.1',
  '00000177.0.0.1',
  '127.0.0.1.',
  '0',
  '0x0',
  '0.0.0.0.',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '１２７.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  'ｌｏｃａｌｈｏｓｔ',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0000:0000:0000:0000:0000:ffff:7f00:0001]',
  '3232235777',
  '0300.0250.1.1',
  '192.168.257',
  '0xac.0x10.0.1',
  '2886729729',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[fd00:ec2::254]',
  '169.254.169.254.',
  '[::]',
  '0xC0A80101',
  '10.1',
]

const attempted = (sending: ConstructorParameters<typeof ReceiverRequest>[0]) =>
  new Promise<RequestResult>((resolve) => void new ReceiverRequest(sending, resolve))

function agentWith(resolve: Resolve) {
  const agent = ssrfSafeAgent({ connections: 1, patienceMs: 500, resolve })
  return {
    agent,
    send: (url: string) => attempted({ agent, target: targetOf(url), body: '{}', signature: 't=1,v1=0', patienceMs: 1_000 }),
  }
}
const answering =
  (found: (host: string) => LookupAddress[]): Resolve =>
  (host, _options, done) =>
    setImmediate(() => done(null, found(host)))
const as = (...list: string[]) => list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)

test('the test set has the expected size', () => {
  const spelled = SPELLINGS.filter((host) => URL.canParse(`https://${host}/`))
  expect(new Set([...addresses, ...spelled]).size).toBe(addresses.length + spelled.length)
  expect(addresses.length + spelled.length).toBeGreaterThanOrEqual(120)
})

test('non-public IP literals are neither registered nor connected to', async () => {
  reached = 0
  const { agent, send } = agentWith(answering(() => as('127.0.0.1')))
  for (const address of addresses) {
    const url = `https://${bracketed(address)}:${port}/hooks`
    expect([address, outboundUrlRefusal(new URL(url))]).toEqual([address, 'This URL does not resolve to a public address.'])
    expect([address, (await send(url)).error]).toEqual([address, 'The address is not public.'])
  }
  expect(reached).toBe(0)
  await agent.destroy()
})

test('alternative spellings of non-public addresses are refused', async () => {
  reached = 0
  const { agent, send } = agentWith(answering(() => as('127.0.0.1')))
  for (const host of SPELLINGS) {
    const url = `https://${host}:${port}/hooks`
    if (!URL.canParse(url)) continue
    expect([host, outboundUrlRefusal(new URL(url))]).toEqual([host, 'This URL does not resolve to a public address.'])
    expect([host, (await send(new URL(url).href)).error]).toEqual([host, expect.stringMatching(/not (?:resolve to a )?public/)])
  }
  expect(reached).toBe(0)
  await agent.destroy()
})

test('names that resolve to a non-public address are not connected to, and the error contains no address', async () => {
  reached = 0
  let leadsTo: string[] = []
  const { agent, send } = agentWith(answering(() => as(...leadsTo)))
  for (const address of addresses) {
    for (const list of [[address], ['93.184.216.34', address], [address, '2606:2800:220:1::1']]) {
      leadsTo = list
      const { error } = await send(`https://host-${Math.random()}.example.com:${port}/hooks`)
      expect([list, error]).toEqual([list, 'The host name resolves to an address that is not public.'])
    }
  }
  leadsTo = []
  expect((await send(`https://nothing.example.com:${port}/`)).error).toMatch(/not public/)
  expect(reached).toBe(0)
  await agent.destroy()
})

test('DNS rebinding has no effect: the checked address is the one connected to', async () => {
  reached = 0
  let asked = 0
  // Resolves to a public address first, then to loopback.
  const { agent, send } = agentWith(answering(() => as(asked++ === 0 ? '203.0.114.1' : '127.0.0.1')))
  const first = await send(`https://rebinding.example.com:${port}/hooks`)
  expect(first.error).not.toMatch(/not (?:resolve to a )?public/)
  expect(asked).toBe(1)
  for (let round = 0; round < 5; round++)
    expect((await send(`https://rebinding.example.com:${port}/hooks`)).error).toBe(
      'The host name resolves to an address that is not public.',
    )
  expect(reached).toBe(0)
  await agent.destroy()
})

test('redirects are not followed, and an allowed address permits no other address', async () => {
  reached = 0
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await startReceiver((_got, res) => res.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end())
    provide({ WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${receiver.port}` })
    const { agent, send } = agentWith(answering(() => as('127.0.0.1')))
    const body = JSON.stringify({ eventId: 'evt_1' })
    const got = await attempted({
      agent,
      target: targetOf(receiver.url),
      body,
      signature: 't=1,v1=0',
      patienceMs: 2_000,
    })
    expect(got).toMatchObject({ status, error: expect.stringMatching(/redirect/) })
    expect(receiver.log).toHaveLength(1)
    expect((await send(`http://127.0.0.1:${port}/`)).error).toBe('Only https is allowed.')
    expect((await send(`https://127.0.0.1:${port}/`)).error).toBe('The address is not public.')
    expect(outboundUrlRefusal(new URL(`http://127.0.0.1:${receiver.port}/`))).toBeUndefined()
    expect(outboundUrlRefusal(new URL('http://example.com/'))).toBe('Enter a URL that starts with https://.')
    expect(outboundUrlRefusal(new URL('https://user:secret@example.com/'))).toMatch(/user name/)
    expect(outboundUrlRefusal(new URL('ftp://example.com/'))).toMatch(/https/)
    expect(outboundUrlRefusal(new URL('https://example.com:8443/hooks'))).toBeUndefined()
    await agent.destroy()
  }
  expect(reached).toBe(0)
})

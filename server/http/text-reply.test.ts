import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { services } from '../platform/container.ts'
import { asCaller } from '../platform/turns/caller.ts'
import { TurnRefused } from '../platform/turns/turns.ts'
import type { Call } from './reply.ts'
import { textReply } from './text-reply.ts'

const call = { header: (name: string) => (name === 'accept-encoding' ? 'gzip' : undefined) } as Call
const text = (lines: string) => ({ contentType: 'text/vtt', parts: ['WEBVTT\n', { lines }] })
const unpacked = (body: unknown) => String(gunzipSync(body as Uint8Array))

it('compresses a large text in a thread, once for all responses with it', async () => {
  const large = text('a cue\n'.repeat(20_000))
  const [first, second] = await Promise.all([textReply(call, large), textReply(call, large)])
  expect(unpacked(first.body)).toBe(`WEBVTT\n${large.parts.map((part) => (typeof part === 'string' ? '' : part.lines)).join('')}`)
  expect(second.body).toEqual(first.body)
  expect(textReply(call, large)).toEqual(first)
  expect(services().processor.threads.completed).toBe(1)
})

it('compresses a small one at once', () => {
  expect(textReply(call, text('a cue\n'.repeat(1_000)))).toMatchObject({ status: 200, headers: { 'Content-Encoding': 'gzip' } })
})

it('rejects while too many are compressed, and compresses the text later', async () => {
  const large = text('another cue\n'.repeat(20_000))
  const { turns } = services().processor
  const take = turns.take
  turns.take = () => {
    throw new TurnRefused({ name: 'processor', retryAfter: 5 }, true)
  }
  await expect(textReply(call, large)).rejects.toMatchObject({ code: 'TURN_REFUSED' })
  turns.take = take
  expect(unpacked((await textReply(call, large)).body)).toContain('another cue\n')
})

it('compresses a text again for a caller whose group does not wait as that of the first one does', async () => {
  const large = text('a third cue\n'.repeat(20_000))
  const reply = (accountId: string) => asCaller({ accountId }, () => textReply(call, large))
  const { turns } = services().processor
  const held = await turns.take(['acc_a', ''])
  const waiting = reply('acc_a')
  expect(unpacked((await reply('acc_b')).body)).toContain('a third cue\n')
  held.end()
  expect(unpacked((await waiting).body)).toContain('a third cue\n')
})

it('sends a shared text to everyone without copying it', async () => {
  const shared = { contentType: 'text/vtt', parts: [{ lines: 'a cue\n'.repeat(20_000) }] }
  const plain = { header: () => undefined } as unknown as Call
  expect((await textReply(plain, shared)).body).toBe((await textReply(plain, shared)).body)
})

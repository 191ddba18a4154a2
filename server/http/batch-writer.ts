import type { ServerResponse } from 'node:http'
import { log } from '../platform/log.ts'
import type { Reply } from './reply.ts'
import { streamBody } from './stream-body.ts'

/** Answers that leave together, at most. */
const MOST_TOGETHER = 32
let ready: { res: ServerResponse; reply: Reply }[] = []

/**
 * Answers to requests that came together leave together, once all of them are ready: a peer that sleeps is then woken once and not
 * for each, which on one machine costs as much as the whole work of answering.
 */
export function writeBatched(res: ServerResponse, reply: Reply): void {
  if (ready.push({ res, reply }) === 1) setImmediate(sendReady)
  else if (ready.length >= MOST_TOGETHER) sendReady()
}

function sendReady(): void {
  const batch = ready
  ready = []
  for (const { res, reply } of batch) {
    try {
      send(res, reply)
    } catch (error) {
      // Those behind it in the batch are other people's.
      log().error({ err: error, requestId: reply.headers['X-Request-Id'] }, 'an answer could not be sent')
      res.destroy()
    }
  }
}

function send(res: ServerResponse, { status, headers, body }: Reply): void {
  // A string goes out in one write with its headers; a Buffer takes two, but saves encoding what is long.
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    if (body !== null) headers['Content-Length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
    res.writeHead(status, headers)
    res.end(body)
    return
  }
  res.writeHead(status, headers)
  void streamBody(body, res)
}

import type { ServerResponse } from 'node:http'
import { log } from '../platform/observe/log.ts'
import type { Reply } from './reply.ts'
import { streamBody } from './stream-body.ts'

/** Maximum number of responses to send together. */
const MAX_BATCH = 32
let ready: { res: ServerResponse; reply: Reply }[] = []

/**
 * Sends the responses to simultaneous requests together, once all are ready. A sleeping peer then wakes once, not once per response, which
 * on one machine costs as much as all the work of responding.
 */
export function writeBatched(res: ServerResponse, reply: Reply): void {
  if (ready.push({ res, reply }) === 1) setImmediate(sendReady)
  else if (ready.length >= MAX_BATCH) sendReady()
}

function sendReady(): void {
  const batch = ready
  ready = []
  for (const { res, reply } of batch) {
    try {
      send(res, reply)
    } catch (error) {
      // The batch's other responses belong to other clients and must still be sent.
      log().error({ err: error, requestId: reply.headers['X-Request-Id'] }, 'could not send a response')
      res.destroy()
    }
  }
}

function send(res: ServerResponse, { status, headers, body, sent }: Reply): void {
  // A string is sent in one write with its headers. A Buffer takes two, but saves encoding long bodies.
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    if (body !== null) headers['Content-Length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
    res.writeHead(status, headers)
    res.end(body)
    return
  }
  res.writeHead(status, headers)
  void streamBody(body, res, sent)
}

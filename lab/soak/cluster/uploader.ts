import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Outcomes, Reply } from './outcomes.ts'

/** An upload whose completion the service acknowledged. */
export interface AcknowledgedUpload {
  videoId: string
  /** SHA-256 of the file, hexadecimal. */
  sha256: string
  /** `performance.now()`. */
  at: number
}

/** Milliseconds between attempts to continue. */
const RETRY_MS = 500

/** Returns a copy of an MP4 that no other upload equals: with a box of random bytes at its end, which players skip. */
function uniqueCopy(clip: Buffer): Buffer {
  const box = Buffer.concat([Buffer.alloc(8), randomBytes(64)])
  box.writeUInt32BE(box.length, 0)
  box.write('free', 4)
  return Buffer.concat([clip, box])
}

/**
 * Uploads a file in two requests by the protocol of tus, as the dashboard does: asks for the offset after a failure and continues there.
 * Resolves with undefined when `over` says so before the upload is complete, or when it was refused for good.
 */
export async function uploadOnce(
  outcomes: Outcomes,
  cookie: string,
  clip: Buffer,
  over: () => boolean,
): Promise<AcknowledgedUpload | undefined> {
  const file = uniqueCopy(clip)
  const tus = { 'Tus-Resumable': '1.0.0', Cookie: cookie }
  const metadata = `title ${Buffer.from('Soak').toString('base64')},targetQuality ${Buffer.from('240p').toString('base64')}`
  const created = await untilOk(over, () =>
    outcomes.ask('upload', '/api/upload', {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': file.length, 'Upload-Metadata': metadata },
    }),
  )
  const path = created && new URL(created.headers.location as string, 'http://localhost').pathname
  if (!path) return undefined
  const done = ({ headers }: Reply) => {
    const videoId = headers['x-video-id'] as string | undefined
    return videoId && { videoId, sha256: createHash('sha256').update(file).digest('hex'), at: performance.now() }
  }
  for (let offset = 0; !over(); ) {
    const until = offset === 0 ? Math.floor(file.length / 2) : file.length
    const sent = await outcomes.ask('upload', path, {
      method: 'PATCH',
      headers: { ...tus, 'Upload-Offset': offset, 'Content-Type': 'application/offset+octet-stream' },
      body: file.subarray(offset, until),
      // Another machine may hold the upload for some seconds after it was killed.
      expected: [409, 423],
    })
    const finished = done(sent)
    if (finished) return finished
    if (sent.status === 204) {
      offset = Number(sent.headers['upload-offset'])
      continue
    }
    await wait(RETRY_MS)
    const asked = await untilOk(over, () => outcomes.ask('upload', path, { method: 'HEAD', headers: tus }))
    if (!asked) return undefined
    const complete = done(asked)
    if (complete) return complete
    offset = Number(asked.headers['upload-offset'])
  }
  return undefined
}

async function untilOk(over: () => boolean, ask: () => Promise<Reply>): Promise<Reply | undefined> {
  while (!over()) {
    const reply = await ask()
    if (reply.status >= 200 && reply.status < 300) return reply
    await wait(RETRY_MS)
  }
  return undefined
}

import type { ServerResponse } from 'node:http'

/**
 * Writes a body at its reader's pace and ends the response. Requests the next chunk once the system has taken the previous one. A
 * disconnected reader ends the body early, which is not an error; a failing body aborts the response. node:stream's pipeline costs half as
 * much as sending. `sent` is called at the end with the bytes taken.
 */
export async function streamBody(body: AsyncIterable<Uint8Array>, res: ServerResponse, sent?: (bytes: number) => void): Promise<void> {
  let goOn = () => {}
  let bytes = 0
  res.on('close', () => goOn())
  try {
    for await (const part of body) {
      if (res.closed) return
      const size = part.byteLength
      await new Promise<void>((resolve) => {
        goOn = resolve
        res.write(part, (error) => {
          if (!error) bytes += size
          resolve()
        })
      })
      if (res.closed) return
    }
    res.end()
  } catch {
    res.destroy()
  } finally {
    sent?.(bytes)
  }
}

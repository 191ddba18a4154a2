import type { ServerResponse } from 'node:http'

/**
 * Writes a body at the pace of its reader and ends the response; requests the next part once the system has taken the previous one. A
 * disconnected reader ends the body early, which is no error; a failing body aborts the response. node:stream's pipeline costs as much as
 * half of sending.
 */
export async function streamBody(body: AsyncIterable<Uint8Array>, res: ServerResponse): Promise<void> {
  let goOn = () => {}
  res.on('close', () => goOn())
  try {
    for await (const part of body) {
      if (res.closed) return
      await new Promise<void>((resolve) => {
        goOn = resolve
        res.write(part, () => resolve())
      })
      if (res.closed) return
    }
    res.end()
  } catch {
    res.destroy()
  }
}

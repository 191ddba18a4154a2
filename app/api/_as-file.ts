import { AsyncLocalStorage } from 'node:async_hooks'
import type { AccountCtx } from '#server/context'
import { beginLongAnswer } from '#server/platform/turns/long-answers'
import type { Turn } from '#server/platform/turns/turns'
import { refusal } from './_signed-in'

/**
 * Returns pieces of text as a file, one of the long answers of the account until it ended or its reader left: reads a piece when the reader
 * has taken the one before it. Or returns the response that refuses it.
 */
export function asFile(request: Request, { accountId }: AccountCtx, pieces: AsyncGenerator<string>, headers: HeadersInit): Response {
  // Next answers HEAD by this handler, and does not read the body.
  if (request.method === 'HEAD') return new Response(null, { headers })
  let turn: Turn
  try {
    turn = beginLongAnswer('exports', accountId)
  } catch (refused) {
    return refusal(refused)
  }
  // Next neither reads nor cancels a body whose reader left before it began.
  request.signal.addEventListener('abort', () => turn.end())
  if (request.signal.aborted) turn.end()
  const encoder = new TextEncoder()
  // The stream is read outside the request; its statements still take the turns of the caller.
  const asCaller = AsyncLocalStorage.snapshot()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { value, done } = await asCaller(() => pieces.next())
          if (!done) return controller.enqueue(encoder.encode(value))
        } catch (error) {
          turn.end()
          throw error
        }
        turn.end()
        controller.close()
      },
      async cancel() {
        turn.end()
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

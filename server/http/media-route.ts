import { asPlaybackError } from '../errors.ts'
import { trafficCollector } from '../modules/analytics/requests/collector.ts'
import type { MaybePromise } from '../platform/maybe-promise.ts'
import { log } from '../platform/observe/log.ts'
import { beginMedia } from '../platform/turns/request-turns.ts'
import { type Call, errorReply, type Reply, refuseLargeBody } from './reply.ts'

/** A media URL: playlists, segments, keys. Any origin may fetch it; only its errors are JSON. */
export interface MediaRoute {
  answer(call: Call): Promise<Reply>
}

const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'X-Request-Id, Content-Length, Content-Range, ETag' }

/** Declares a media route: the counterpart of `endpoint` for bytes. The route file's folder determines its path. */
export function mediaRoute(serve: (call: Call) => MaybePromise<Reply>): MediaRoute {
  return {
    async answer(call) {
      let reply: Reply
      try {
        refuseLargeBody(call)
        reply = await beginMedia(() => serve(call))
      } catch (thrown) {
        const error = asPlaybackError(thrown)
        // Any error outside the table is a defect and is logged.
        if (error !== thrown && error.code === 'INTERNAL_ERROR')
          log().error({ err: thrown, requestId: call.requestId }, 'unexpected delivery error')
        reply = errorReply(error, call.requestId)
        trafficCollector().refused(call, reply)
      }
      Object.assign(reply.headers, CORS, { 'X-Request-Id': call.requestId, 'X-Content-Type-Options': 'nosniff' })
      return reply
    },
  }
}

import { webhooks } from '@reelgate/sdk'
import { complete, updateLesson } from '../../../lib/db'
import { reelgate } from '../../../lib/reelgate'

/**
 * Receives the webhooks of Reelgate. The signature covers the raw body. Events can arrive twice and in any order, so each one makes this
 * site read the video as it is now.
 */
export async function POST(request: Request): Promise<Response> {
  const { WEBHOOK_SECRET = '' } = process.env
  const header = request.headers.get('x-service-signature') ?? ''
  const event = await webhooks.constructEvent(await request.text(), header, WEBHOOK_SECRET).catch(() => undefined)
  if (!event) return new Response(null, { status: 400 })
  switch (event.eventType) {
    case 'video.created':
    case 'video.playable':
    case 'video.processing.completed':
    case 'video.processing.failed': {
      const { status, externalId } = await reelgate().getVideo(event.data.videoId, { expand: ['metadata'] })
      const isReady = status === 'COMPLETED' || event.eventType === 'video.playable'
      if (externalId) updateLesson(externalId, event.data.videoId, isReady ? 'ready' : status === 'FAILED' ? 'failed' : 'processing')
      break
    }
    // A certificate, which stays when Reelgate no longer keeps what the student watched. The ID is null once the student is erased.
    case 'viewing.completed':
      if (event.data.viewerId) complete(event.data.viewerId, event.data.videoId)
      break
    // The file isn't a video, or didn't arrive in time.
    case 'upload.failed':
      if (event.data.externalId) updateLesson(event.data.externalId, null, 'failed')
  }
  return new Response(null, { status: 204 })
}

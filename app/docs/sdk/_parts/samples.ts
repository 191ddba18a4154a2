const USE = `import { Reelgate, ReelgateError } from '@reelgate/sdk'

const reelgate = new Reelgate() // REELGATE_URL and REELGATE_API_KEY; or { baseUrl, apiKey }

for (const video of await reelgate.listVideos()) console.log(video.id, video.status, video.title)

try {
  const { playerUrl, rateLimit } = await reelgate.createPlaybackToken('vid_3kTMd9cXv0dRr1gB7JmQeA', {
    idempotencyKey: 'viewing-4711',
  })
  console.log(playerUrl, rateLimit.remaining)
} catch (error) {
  if (error instanceof ReelgateError && error.code === 'VIDEO_NOT_READY') console.log('Still being transcoded')
  else throw error
}`

const UPLOAD = `import { Reelgate } from '@reelgate/sdk'

const reelgate = new Reelgate()
const { videoId } = await reelgate.uploads.fromFile('lesson.mp4', {
  video: { title: 'Lesson 1', externalId: 'lesson-1' },
  onProgress: ({ bytesSent, bytesTotal }) => console.log(Math.round((100 * bytesSent) / bytesTotal), '%'),
})
console.log(videoId)`

const SEND = `import { sendFile } from '@reelgate/sdk'

// uploadUrl comes from your backend, which called reelgate.createUpload({ allowedOrigin })
export const upload = (uploadUrl: string, file: File) =>
  sendFile(uploadUrl, file, { onProgress: ({ bytesSent }) => console.log(bytesSent) })`

const VIEWERS = `import { Reelgate } from '@reelgate/sdk'

const reelgate = new Reelgate()
const lesson = 'vid_3kTMd9cXv0dRr1gB7JmQeA'

// Plays on two devices at a time, from where this user stopped.
const { playerUrl } = await reelgate.createPlaybackToken(lesson, {
  viewer: { id: 'student-42' },
  maxSessions: 2,
  onLimit: 'end-oldest',
  resume: true,
})
console.log(playerUrl)

const { viewers } = await reelgate.viewers.listOfVideo(lesson)
for (const { viewerId, watchedSec, durationSec } of viewers) console.log(viewerId, watchedSec / durationSec)

await reelgate.viewers.end('student-42')`

const RECEIVE = `import { ReelgateSignatureError, webhooks } from '@reelgate/sdk'

export async function POST(request: Request): Promise<Response> {
  try {
    const signature = request.headers.get('X-Service-Signature')
    const event = await webhooks.constructEvent(await request.text(), signature, process.env.WEBHOOK_SECRET ?? '')
    if (event.eventType === 'video.processing.failed') console.log(event.data.videoId, event.data.reason)
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof ReelgateSignatureError) return new Response(error.message, { status: 400 })
    throw error
  }
}`

/** The programs of the guide; a test compiles them against the packed client. */
export const SAMPLES = { use: USE, upload: UPLOAD, send: SEND, viewers: VIEWERS, receive: RECEIVE }

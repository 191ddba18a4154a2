// Node 20.3 or later, with the package @reelgate/sdk and a key with viewer:read.
import { Reelgate } from '@reelgate/sdk'

const reelgate = new Reelgate()

/** Yields everyone who watched a video, the latest first, and how much of it. */
export async function* whoWatched(videoId) {
  for (let cursor; cursor !== null; ) {
    const page = await reelgate.viewers.listOfVideo(videoId, { limit: 1_000, ...(cursor && { cursor }) })
    yield* page.viewers
    cursor = page.nextCursor
  }
}

for await (const { viewerId, watchedSec, durationSec, completedAt } of whoWatched(process.env.VIDEO_ID)) {
  const share = `${Math.floor((100 * watchedSec) / durationSec)} %`
  console.log(viewerId, share, completedAt ? `completed ${completedAt.slice(0, 10)}` : 'not completed')
}

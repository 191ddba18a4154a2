// Node 20.3 or later, with the package @reelgate/sdk and a key with video:read and viewer:read.
import { Reelgate, ReelgateError } from '@reelgate/sdk'

const reelgate = new Reelgate()

/** Returns a player URL that starts where this user stopped, on any device. */
export async function playerUrlFor(userId, videoId) {
  const { playerUrl } = await reelgate.createPlaybackToken(videoId, { viewer: { id: userId }, resume: true })
  return playerUrl
}

/** Returns the videos that this user has not finished, the latest first, with the position in seconds. */
export async function continueWatching(userId) {
  try {
    const { videos } = await reelgate.viewers.get(userId, { limit: 20 })
    return videos.filter(({ completedAt }) => completedAt === null)
  } catch (error) {
    // This user has watched nothing yet.
    if (error instanceof ReelgateError && error.code === 'VIEWER_NOT_FOUND') return []
    throw error
  }
}

console.log(await playerUrlFor('student-42', process.env.VIDEO_ID))
for (const { videoId, positionSec, durationSec } of await continueWatching('student-42'))
  console.log(videoId, `${Math.floor(positionSec)} of ${durationSec} s`)

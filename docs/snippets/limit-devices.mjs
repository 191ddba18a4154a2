// Node 20.3 or later, with the package @reelgate/sdk.
import { Reelgate } from '@reelgate/sdk'

// Reads REELGATE_URL and REELGATE_API_KEY.
const reelgate = new Reelgate()

/** Returns a player URL for one of your users, who can watch on two devices at a time. */
export async function playerUrlFor(userId, videoId) {
  const { playerUrl } = await reelgate.createPlaybackToken(videoId, {
    viewer: { id: userId },
    maxSessions: 2,
    onLimit: 'end-oldest',
  })
  return playerUrl
}

console.log(await playerUrlFor('student-42', process.env.VIDEO_ID))

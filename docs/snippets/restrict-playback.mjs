// Node 20.3 or later, with the package @reelgate/sdk.
import { Reelgate } from '@reelgate/sdk'

const reelgate = new Reelgate()

/** Returns a player URL that works in these countries only, up to 720p. */
export async function playerUrlAt(countries, videoId) {
  const { playerUrl } = await reelgate.createPlaybackToken(videoId, { countries, maxHeight: 720 })
  return playerUrl
}

console.log(await playerUrlAt(['AT', 'CH', 'DE'], process.env.VIDEO_ID))

// Node 20 or later, without packages.
const { REELGATE_URL, REELGATE_API_KEY, VIDEO_ID } = process.env

export async function playerUrl(videoId) {
  const response = await fetch(`${REELGATE_URL}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': REELGATE_API_KEY },
    signal: AbortSignal.timeout(10_000),
  })
  const { success, data, error } = await response.json()
  if (!success) throw new Error(`${error.code}: ${error.message} (${error.requestId})`)
  return data.playerUrl
}

console.log(await playerUrl(VIDEO_ID))

/** Returns the smallest API call, ready to paste. */
export const listSnippet = (baseUrl: string, key: string) => `curl ${baseUrl}/v1/video \\\n  -H "x-service-key: ${key}"`

/** Returns the call that creates a playback token, ready to paste; with `viewerId`, a token that names who watches. */
export function tokenSnippet(baseUrl: string, videoId: string, key = '<API_KEY>', viewerId?: string): string {
  const call = `curl -X POST ${baseUrl}/v1/video/${videoId}/playback-token \\\n  -H "x-service-key: ${key}"`
  if (viewerId === undefined) return call
  return `${call} \\\n  -H "content-type: application/json" \\\n  -d '${JSON.stringify({ viewer: { id: viewerId } })}'`
}

/** Returns the player in a frame. */
export const frameSnippet = (sdkUrl: string, videoId: string) =>
  `<iframe src="${sdkUrl}/embed/${videoId}?token=<PLAYBACK_TOKEN>"
  allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
  style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>`

/** Returns the player as an element. */
export const elementSnippet = (sdkUrl: string, videoId: string) =>
  `<script async src="${sdkUrl}/player/reelgate-player.js"></script>
<reelgate-player video-id="${videoId}" token="<PLAYBACK_TOKEN>"></reelgate-player>`

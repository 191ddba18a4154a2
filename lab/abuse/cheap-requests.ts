import { newKeyValue } from '../../server/modules/access/keys/format.ts'
import { type Attack, ask, type Target } from './target.ts'

/** Reads that the service answers from its memory, on many connections. */
const CONNECTIONS = 450

/** Reads one video of its own. */
export const videoReads: Attack = {
  name: `reads of one video, ${CONNECTIONS} connections`,
  workers: CONNECTIONS,
  once: async (target, _at, signal) => (await ask(target, `/v1/video/${target.videoId}`, {}, signal)).status,
}

/** Sends keys of the right form that do not exist: each is looked up. */
export const inventedKeys: Attack = {
  name: `invented keys, ${CONNECTIONS} connections`,
  workers: CONNECTIONS,
  async once(target, _at, signal) {
    const headers = { 'x-service-key': newKeyValue('LIVE') }
    return (await ask(target, `/v1/video/${target.videoId}`, { headers }, signal)).status
  },
}

let playlist: Promise<string> | undefined

/** Opens a playback session. Returns the path of its only playlist. */
async function playlistOf(target: Target, signal: AbortSignal): Promise<string> {
  const issued = await ask(target, `/v1/video/${target.videoId}/playback-token`, { method: 'POST' }, signal)
  const { token } = (JSON.parse(issued.body) as { data: { token: string } }).data
  const manifest = await ask(target, `/v1/video/playback/manifest/${token}`, {}, signal)
  const { masterPlaylistUrl } = (JSON.parse(manifest.body) as { data: { masterPlaylistUrl: string } }).data
  return new URL('360p.m3u8', new URL(masterPlaylistUrl, target.base)).pathname
}

/** One viewer who reads a playlist again and again. */
export const playlistReads: Attack = {
  name: `playlists of one viewer, ${CONNECTIONS} connections`,
  workers: CONNECTIONS,
  async once(target, _at, signal) {
    playlist ??= playlistOf(target, signal)
    const path = await playlist.catch((error: Error) => {
      playlist = undefined
      throw error
    })
    return (await ask(target, path, {}, signal)).status
  },
}

import { ServiceError } from '#server/errors'
import { immutableReply } from '#server/http/bytes'
import { mediaRoute } from '#server/http/media-route'
import { route } from '#server/http/route'
import { heldLabel, type SharedText, textReply } from '#server/http/text-reply'
import { captionFile, captionPlaylist, chapterCues } from '#server/modules/delivery/playlists/captions'
import { masterPlaylist } from '#server/modules/delivery/playlists/master-playlist'
import { initSection, mediaPlaylist } from '#server/modules/delivery/playlists/media-playlist'
import { findPoster } from '#server/modules/delivery/playlists/picture'
import { findStoryboardSheet, storyboardCues } from '#server/modules/delivery/playlists/storyboard'
import { findThumbnail } from '#server/modules/delivery/playlists/thumbnails'

const PLAYLIST = 'application/vnd.apple.mpegurl'
const CUES = 'text/vtt; charset=utf-8'

/** Serves every file of a video that a permit opens, by file name. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = route({
  GET: mediaRoute(async (call) => {
    const { videoId = '', permit = '', file = '' } = call.params
    const [, name = '', ending = ''] = /^([\w-]{1,128})\.(m3u8|vtt|jpg|webp|mp4)$/.exec(file) ?? []
    const opened = { videoId, permit }
    // Key addresses in playlists are short-lived, and an owner may change captions and poster: a copy is revalidated before each use.
    const text = (contentType: string, body: string | SharedText) => textReply(call, { contentType, parts: [body] })
    const language = /^captions-(.+)$/.exec(name)?.[1]
    if (ending === 'm3u8') {
      if (name === 'master') return text(PLAYLIST, await masterPlaylist(opened))
      if (name === 'master-audio-only') return text(PLAYLIST, await masterPlaylist({ ...opened, withAudioOnly: true }))
      if (language) return text(PLAYLIST, await captionPlaylist({ ...opened, language }))
      const held = heldLabel(call)
      const heldKeyExpiry = held === undefined ? undefined : Number.parseInt(held, 36)
      const { head, segments, end, keyExpiry } = await mediaPlaylist({ ...opened, stream: name, heldKeyExpiry })
      return textReply(call, { contentType: PLAYLIST, parts: [head, segments, end], label: keyExpiry?.toString(36) })
    }
    const fragmented = ending === 'mp4' ? /^init-(.+)$/.exec(name)?.[1] : undefined
    if (fragmented) {
      const section = await initSection({ ...opened, stream: fragmented })
      return immutableReply(call, { contentType: 'video/mp4', cacheControl: 'no-cache', ...section })
    }
    if (ending === 'vtt' && name === 'storyboard') return text(CUES, await storyboardCues(opened))
    if (ending === 'vtt' && name === 'chapters') return text(CUES, await chapterCues(opened))
    if (ending === 'vtt' && language) return text(CUES, await captionFile({ ...opened, language }))
    if (name.startsWith('thumbnail-')) {
      const picture = await findThumbnail({ ...opened, file })
      const contentType = ending === 'webp' ? 'image/webp' : 'image/jpeg'
      return immutableReply(call, { contentType, cacheControl: 'private, max-age=86400, immutable', ...picture })
    }
    const [, kind, which] = /^(poster|storyboard)(?:-(\w+))?$/.exec(name) ?? []
    if (ending !== 'jpg' || !kind) throw new ServiceError('NOT_FOUND')
    const image = kind === 'poster' ? await findPoster({ ...opened, name: which }) : await findStoryboardSheet({ ...opened, name: which })
    const cacheControl = which ? 'private, max-age=86400, immutable' : 'no-cache'
    return immutableReply(call, { contentType: 'image/jpeg', cacheControl, ...image })
  }),
})

/** Returns the id under which the original, the segments and the pictures of a video are stored (decision 69). */
export const mediaIdOf = ({ id, mediaId }: { id: string; mediaId: string | null }): string => mediaId ?? id

/** Prefix of the keys of original files. Keys of originals, segments and pictures are those of `mediaIdOf`. */
export const SOURCES = 'sources/'
export const sourceKey = (videoId: string) => `${SOURCES}${videoId}`

/** Headers of segments, also of those that a bucket sends: their names are hashes of their content. */
export const SEGMENT_HEADERS = { contentType: 'video/mp2t', cacheControl: 'public, max-age=31536000, immutable' } as const

/** Prefix of the keys of a video's segments. */
export const segmentPrefix = (videoId: string) => `segments/${videoId}/`
export const segmentKey = (videoId: string, name: string) => `${segmentPrefix(videoId)}${name}.ts`

/**
 * Prefixes of a video's other files. `pictures/` holds what transcoding creates (poster candidates, storyboard sheets) and cleans
 * up after interrupted attempts; `extras/` holds the owner's files (captions, a poster), under the id of the video itself.
 */
export const picturePrefix = (videoId: string) => `pictures/${videoId}/`
export const pictureKey = (videoId: string, name: string) => `${picturePrefix(videoId)}${name}`
export const extraPrefix = (videoId: string) => `extras/${videoId}/`
export const extraKey = (videoId: string, name: string) => `${extraPrefix(videoId)}${name}`

/** Prefix of the MP4 files of a video's renditions, which are made at request and removed when they are not requested for long. */
export const downloadPrefix = (videoId: string) => `downloads/${videoId}/`
export const downloadKey = (videoId: string, name: string) => `${downloadPrefix(videoId)}${name}.mp4`

/** Prefix of the keys of original files. */
export const SOURCES = 'sources/'
export const sourceKey = (mediaId: string) => `${SOURCES}${mediaId}`

/** Suffix of fragmented MP4 segment names. MPEG-TS names are just hashes. */
export const FRAGMENT = '.m4s'
/** Returns a segment's file name from its name in a segment list. */
export const segmentFileName = (name: string) => (name.endsWith(FRAGMENT) ? name : `${name}.ts`)
export const segmentType = (file: string) => (file.endsWith(FRAGMENT) ? 'video/mp4' : 'video/mp2t')

/** Returns the headers of the segment with this key, also if a bucket sends it: its name is a hash of its content. */
export const segmentHeaders = (key: string) => ({ contentType: segmentType(key), cacheControl: 'public, max-age=31536000, immutable' })

/** Prefix of a media's segment keys. */
export const segmentPrefix = (mediaId: string) => `segments/${mediaId}/`
export const segmentKey = (mediaId: string, name: string) => `${segmentPrefix(mediaId)}${segmentFileName(name)}`

/**
 * Prefixes of other files. `pictures/` holds what transcoding creates (poster candidates, storyboard sheets) and cleans up after
 * interrupted attempts. `extras/` holds the owner's files (captions, a poster), under the video's ID.
 */
export const picturePrefix = (mediaId: string) => `pictures/${mediaId}/`
export const pictureKey = (mediaId: string, name: string) => `${picturePrefix(mediaId)}${name}`
export const extraPrefix = (videoId: string) => `extras/${videoId}/`
export const extraKey = (videoId: string, name: string) => `${extraPrefix(videoId)}${name}`

/** Prefix of the MP4 files of a media's renditions, which are created on request and removed when unrequested for long. */
export const downloadPrefix = (mediaId: string) => `downloads/${mediaId}/`
export const downloadKey = (mediaId: string, name: string) => `${downloadPrefix(mediaId)}${name}.mp4`

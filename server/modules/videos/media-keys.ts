/** Prefix of the keys of original files. */
export const SOURCES = 'sources/'
export const sourceKey = (mediaId: string) => `${SOURCES}${mediaId}`

/** What the names of segments of fragmented MP4 end with. Those of MPEG-TS are hashes alone. */
export const FRAGMENT = '.m4s'
/** Returns the file name of a segment by its name in a list of segments. */
export const segmentFileName = (name: string) => (name.endsWith(FRAGMENT) ? name : `${name}.ts`)
export const segmentType = (file: string) => (file.endsWith(FRAGMENT) ? 'video/mp4' : 'video/mp2t')

/** Returns the headers of the segment of a key, also of one that a bucket sends: its name is a hash of its content. */
export const segmentHeaders = (key: string) => ({ contentType: segmentType(key), cacheControl: 'public, max-age=31536000, immutable' })

/** Prefix of the keys of a media's segments. */
export const segmentPrefix = (mediaId: string) => `segments/${mediaId}/`
export const segmentKey = (mediaId: string, name: string) => `${segmentPrefix(mediaId)}${segmentFileName(name)}`

/**
 * Prefixes of other files. `pictures/` holds what transcoding creates (poster candidates, storyboard sheets) and cleans
 * up after interrupted attempts; `extras/` holds the owner's files (captions, a poster), under the id of the video.
 */
export const picturePrefix = (mediaId: string) => `pictures/${mediaId}/`
export const pictureKey = (mediaId: string, name: string) => `${picturePrefix(mediaId)}${name}`
export const extraPrefix = (videoId: string) => `extras/${videoId}/`
export const extraKey = (videoId: string, name: string) => `${extraPrefix(videoId)}${name}`

/** Prefix of the MP4 files of a media's renditions, which are made at request and removed when they are not requested for long. */
export const downloadPrefix = (mediaId: string) => `downloads/${mediaId}/`
export const downloadKey = (mediaId: string, name: string) => `${downloadPrefix(mediaId)}${name}.mp4`

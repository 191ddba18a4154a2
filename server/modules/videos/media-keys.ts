/** Returns the id under which the original, the segments and the pictures of a video are stored. */
export const mediaIdOf = ({ id, mediaId }: { id: string; mediaId: string | null }): string => mediaId ?? id

/** Prefix of the keys of original files. Keys of originals, segments and pictures are those of `mediaIdOf`. */
export const SOURCES = 'sources/'
export const sourceKey = (videoId: string) => `${SOURCES}${videoId}`

/** What the names of segments of fragmented MP4 end with. Those of MPEG-TS are hashes alone. */
export const FRAGMENT = '.m4s'
/** Returns the file name of a segment by its name in a list of segments. */
export const segmentFileName = (name: string) => (name.endsWith(FRAGMENT) ? name : `${name}.ts`)
export const segmentType = (file: string) => (file.endsWith(FRAGMENT) ? 'video/mp4' : 'video/mp2t')

/** Returns the headers of the segment of a key, also of one that a bucket sends: its name is a hash of its content. */
export const segmentHeaders = (key: string) => ({ contentType: segmentType(key), cacheControl: 'public, max-age=31536000, immutable' })

/** Prefix of the keys of a video's segments. */
export const segmentPrefix = (videoId: string) => `segments/${videoId}/`
export const segmentKey = (videoId: string, name: string) => `${segmentPrefix(videoId)}${segmentFileName(name)}`

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

/** Where the original of a video is stored. */
export const sourceKey = (videoId: string) => `sources/${videoId}`

/** The media of a video stands under this prefix. */
export const segmentPrefix = (videoId: string) => `segments/${videoId}/`
export const segmentKey = (videoId: string, name: string) => `${segmentPrefix(videoId)}${name}.ts`

/**
 * What stands beside a video's segments. `pictures/` holds what transcoding makes (poster candidates, storyboard sheets) and
 * clears what interrupted tries left; `extras/` what its owner gave (captions, a poster).
 */
export const picturePrefix = (videoId: string) => `pictures/${videoId}/`
export const pictureKey = (videoId: string, name: string) => `${picturePrefix(videoId)}${name}`
export const extraPrefix = (videoId: string) => `extras/${videoId}/`
export const extraKey = (videoId: string, name: string) => `${extraPrefix(videoId)}${name}`

import { type Attack, contentOf, mutate } from './target.ts'

/** Uploads pictures that are small as files and large to decode, concurrently. */
export const posterUploads: Attack = {
  name: 'parallel poster uploads',
  most: 60,
  workers: 20,
  async once(target, _at, signal) {
    const input = { videoId: target.videoId, image: contentOf(target.picture).toString('base64'), expected: null }
    return (await mutate(target, 'video.uploadPoster', input, signal)).status
  },
}

import { type Attack, mutate } from './target.ts'

/** Uploads pictures that are small as files and large to decode, concurrently. */
export const posterUploads: Attack = {
  name: 'parallel poster uploads',
  most: 60,
  workers: 20,
  async once(target, _at, signal) {
    const input = { videoId: target.videoId, image: target.picture.toString('base64'), expected: null }
    await mutate(target, 'video.uploadPoster', input, signal)
  },
}

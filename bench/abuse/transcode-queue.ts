import { type Attack, upload } from './target.ts'

/** Small files that take long to transcode, queued within seconds by one account. */
export const transcodeQueue: Attack = {
  name: 'transcode-queue unfairness',
  most: 30,
  workers: 4,
  async once(target, _at, signal) {
    await upload(target, target.film, target.film.length, signal)
  },
}

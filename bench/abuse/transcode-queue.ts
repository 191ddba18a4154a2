import { type Attack, upload } from './target.ts'

/** Uploads small files that are slow to transcode, queued within seconds by one account. */
export const transcodeQueue: Attack = {
  name: 'transcode-queue unfairness',
  most: 30,
  workers: 4,
  async once(target, _at, signal) {
    await upload(target, target.clip, target.clip.length, signal)
  },
}

import { type Attack, contentOf, upload } from './target.ts'

/** Uploads small files that are slow to transcode, queued within seconds by one account. */
export const transcodeQueue: Attack = {
  name: 'transcode-queue unfairness',
  most: 30,
  workers: 4,
  once: (target, _at, signal) => upload(target, 'clip.mp4', contentOf(target.clip), contentOf(target.clip).length, signal),
}

/** Uploads videos whose many subtitles take longer to read than their picture takes to encode. */
export const subtitledVideos: Attack = {
  name: 'videos with 40 tracks of subtitles',
  most: 4,
  workers: 2,
  once: (target, _at, signal) => upload(target, 'tracks.mkv', contentOf(target.manyTracks), contentOf(target.manyTracks).length, signal),
}

import { deadTokenFlood } from './dead-token-flood.ts'
import { fullVolume } from './full-volume.ts'
import { hashingFlood } from './hashing-flood.ts'
import { keyChurn } from './key-churn.ts'
import { posterUploads } from './poster-uploads.ts'
import type { Attack } from './target.ts'
import { transcodeQueue } from './transcode-queue.ts'
import { upgradeSockets } from './upgrade-sockets.ts'

/** Every attack, in order: those that leave work behind are last. */
export const ATTACKS: readonly Attack[] = [
  deadTokenFlood,
  upgradeSockets,
  hashingFlood,
  keyChurn,
  fullVolume,
  posterUploads,
  transcodeQueue,
]

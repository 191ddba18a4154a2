import { ADDRESSES, NETWORKS } from './addresses.ts'
import { captionReads, captionUploads, markedCaptions, refusedCaptions } from './captions.ts'
import { collectionChurn, metadataChanges, titleChanges } from './changes.ts'
import { inventedKeys, playlistReads, videoReads } from './cheap-requests.ts'
import { deadTokenFlood } from './dead-token-flood.ts'
import { fullVolume } from './full-volume.ts'
import { keyChurn } from './key-churn.ts'
import { auditExports, eventWaits, slowExports } from './long-responses.ts'
import { pageReads } from './page-reads.ts'
import { posterUploads } from './poster-uploads.ts'
import type { Attack } from './target.ts'
import { subtitledVideos, transcodeQueue } from './transcode-queue.ts'
import { upgradeSockets } from './upgrade-sockets.ts'
import { wrongPasswords } from './wrong-passwords.ts'

/** Every attack, in order: those that leave work behind are last. */
export const ATTACKS: readonly Attack[] = [
  deadTokenFlood,
  upgradeSockets,
  wrongPasswords('hashing flood', 50, []),
  ...NETWORKS.map((network) => wrongPasswords(`wrong passwords from 60 addresses of ${network}`, 60, ADDRESSES[network](60))),
  ...[20, 60, 256].flatMap((count) => NETWORKS.map((network) => pageReads(count, network))),
  videoReads,
  inventedKeys,
  playlistReads,
  keyChurn,
  ...[64, 300, 450].map(titleChanges),
  metadataChanges,
  collectionChurn,
  eventWaits,
  auditExports,
  slowExports,
  captionReads,
  captionUploads,
  refusedCaptions,
  fullVolume,
  posterUploads,
  transcodeQueue,
  subtitledVideos,
  markedCaptions,
]

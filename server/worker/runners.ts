import type { Run } from '../infra/queue.ts'
import { storage } from '../infra/storage/storage.ts'
import type { JobName, Payload } from '../jobs.ts'
import { rewrapContentKeys } from '../transcode/rewrap.ts'
import { transcodeVideo } from '../transcode/run.ts'
import { sweepWorkFolders } from '../transcode/work-folder.ts'
import { sweepUploads } from '../upload/sweep.ts'
import { purgeVideos, removeMedia } from '../video/purge.ts'

const DAY_MS = 86_400_000

/** Job → verb. A job without a runner does not compile. */
export const runners = {
  'video.transcode': transcodeVideo,
  'upload.sweep': (_payload, signal) => sweepUploads(signal),
  'video.purge': async () => {
    await purgeVideos()
    await sweepWorkFolders()
    await storage().sweep(DAY_MS)
  },
  'key.rewrap': async (_payload, signal) => {
    await rewrapContentKeys(signal)
  },
  'media.remove': removeMedia,
} satisfies { [Name in JobName]: Run<Payload<Name>> }

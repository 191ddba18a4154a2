import { z } from 'zod'
import { pictureQuality as qualityTarget } from '../../identity/accounts/quality-schema.ts'
import { videoStatus } from '../../videos/schema.ts'

const time = z.iso.datetime()
const count = z.int().min(0)

/** The stages of a video's processing, in order. */
export const stage = z.enum(['queued', 'analyzing', 'encoding', 'finishing', 'completed', 'failed'])
export type Stage = z.output<typeof stage>

export const taskState = z.enum(['waiting', 'running', 'retrying', 'done'])
export type TaskState = z.output<typeof taskState>

const task = {
  state: taskState.meta({ description: '`retrying`: it was begun before and waits for its next try.' }),
  progress: z.number().min(0).max(1).meta({ description: 'Share that is encoded.' }),
  worker: z
    .string()
    .nullable()
    .meta({ description: 'Label of its worker within this response; null before it is begun.', examples: ['worker 1'] }),
  startedAt: time.nullable(),
  doneAt: time.nullable(),
}

const chunk = z.object({
  position: count.meta({ description: 'From 0.' }),
  startSec: z.number().meta({ description: 'Where it begins in the video.' }),
  endSec: z.number(),
  ...task,
})

const track = z.object({
  position: count.meta({ description: 'Order in the source, from 0.' }),
  name: z.string(),
  language: z.string().nullable().meta({ description: 'BCP 47; null when the file does not state it.' }),
  ...task,
})

const copy = z.object({
  quality: z.string().meta({ description: 'The rendition that is copied.', examples: ['1080p'] }),
  kept: z.boolean().meta({ description: 'Whether it stays. Otherwise it plays until an encoded one, of a lower rate, replaces it.' }),
  ...task,
})

const vmaf = (what: string) =>
  z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: `${what} Null where it was not measured.` })

const pictureQuality = z.object({
  target: qualityTarget.meta({ description: 'The setting that the search reaches, by its name or in numbers.' }),
  isFound: z.boolean().meta({ description: 'Whether the search has ended. Until then, and for the first chunks, the rate factor is 24.' }),
  renditions: z.array(
    z.object({
      quality: z.string().meta({ examples: ['1080p'] }),
      rateFactor: z.number().meta({ description: 'Constant rate factor of x264: the greater, the fewer bytes.' }),
      vmafMean: vmaf('Mean VMAF of samples of the video, as seen in the size of the highest rendition.'),
      vmafP5: vmaf('The VMAF that 19 of 20 pictures of these samples exceed or equal.'),
    }),
  ),
})

const attempt = z.object({
  part: z.enum(['video', 'copy', 'chunk', 'audio', 'finish']).meta({ description: 'What was tried: `video` is its analysis.' }),
  position: count.nullable().meta({ description: 'Of the chunk or the audio track; otherwise null.' }),
  failures: count,
  losses: count.meta({ description: 'How often its worker was lost.' }),
  reason: z.string().meta({ description: 'Why it is tried again.' }),
})

const warning = z.object({
  part: z.enum(['picture', 'audio', 'captions']),
  track: z.string().nullable().meta({ description: 'Name of the audio track, or of tracks of captions; null for the picture.' }),
  startSec: z.number().meta({ description: 'Where it begins in the video.' }),
  endSec: z.number(),
  text: z.string().meta({ description: 'What is wrong, and what is played instead.' }),
})

const shape = z.object({
  videoId: z.string(),
  status: videoStatus,
  stage,
  failureReason: z.string().nullable().meta({ description: 'Why it is FAILED; otherwise null.' }),
  queue: z
    .object({
      position: count.nullable().meta({ description: '1 is next; null until its next try is due.' }),
      ownVideosBefore: count.meta({ description: 'Videos of this account that come before it.' }),
      otherTurnsBefore: count.meta({ description: 'Turns of other accounts that come before it.' }),
      nextTryAt: time.nullable().meta({ description: 'Until when it waits after a failure; null otherwise.' }),
      reason: z.string(),
    })
    .nullable()
    .meta({ description: 'Why nothing of it is running; null while something is, and when it has ended.' }),
  estimate: z
    .object({ seconds: count, low: count, high: count })
    .nullable()
    .meta({ description: 'Seconds left, and the bounds within which eight of ten videos ended. Null while unknown.' }),
  progress: z.number().min(0).max(1).meta({ description: 'Share of the pictures that is encoded.' }),
  chunksDone: count,
  chunks: z
    .array(chunk)
    .meta({ description: 'The video in parts that are encoded separately. Empty before the analysis and after the end.' }),
  audio: z.array(track),
  copy: copy
    .nullable()
    .meta({ description: 'The highest rendition, copied from the file without encoding. Null where it is encoded, and after the end.' }),
  lastProgressAt: time.nullable().meta({ description: 'When a part last began, progressed or ended.' }),
  tries: z.array(attempt).meta({ description: 'Parts that failed, or whose worker was lost.' }),
  action: z
    .object({
      code: z.enum(['none', 'retry', 'upload', 'operator']),
      text: z.string(),
    })
    .meta({ description: 'What to do. `none`: it continues automatically, or it is complete.' }),
  pictureQuality: pictureQuality.nullable().meta({
    description:
      'How the rate of its renditions was chosen. Null where every one has the usual rate factor: short, HDR and interlaced videos.',
  }),
  warnings: z.array(warning).meta({
    description:
      'Parts of the video that could not be decoded, and tracks of sound and captions that are missing; it stays when the video is COMPLETED.',
  }),
  playableSince: time.nullable().meta({ description: 'Since when it can be watched; null before.' }),
})

const replacement = shape.omit({ videoId: true, status: true, failureReason: true, playableSince: true }).extend({
  uploadId: z.string().nullable().meta({ description: 'Of the upload that received it; null for one of the dashboard.' }),
  sourceName: z.string().meta({ description: 'Name of the file.', examples: ['lesson-4.mp4'] }),
  reencodes: z.boolean().meta({ description: 'Whether it is the present source, which is encoded again to save bytes.' }),
  receivedAt: time,
})

/** What happens to a video until it is COMPLETED, for its owner. */
export const processing = shape
  .extend({
    replacement: replacement
      .nullable()
      .meta({ description: 'The same of a new source that was received and does not replace the former one yet; null without one.' }),
  })
  .meta({
    id: 'Processing',
    description: 'What happens to a video until it is COMPLETED.',
    examples: [
      {
        videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
        status: 'PROCESSING',
        stage: 'encoding',
        failureReason: null,
        queue: null,
        estimate: { seconds: 40, low: 32, high: 55 },
        progress: 0.6,
        chunksDone: 1,
        chunks: [
          {
            position: 0,
            startSec: 0,
            endSec: 40,
            state: 'done',
            progress: 1,
            worker: 'worker 1',
            startedAt: '2026-11-21T09:00:02.000Z',
            doneAt: '2026-11-21T09:00:31.000Z',
          },
          {
            position: 1,
            startSec: 40,
            endSec: 80,
            state: 'running',
            progress: 0.2,
            worker: 'worker 2',
            startedAt: '2026-11-21T09:00:20.000Z',
            doneAt: null,
          },
        ],
        audio: [
          {
            position: 0,
            name: 'English',
            language: 'en',
            state: 'done',
            progress: 1,
            worker: 'worker 1',
            startedAt: '2026-11-21T09:00:02.000Z',
            doneAt: '2026-11-21T09:00:06.000Z',
          },
        ],
        copy: {
          quality: '1080p',
          kept: true,
          state: 'done',
          progress: 1,
          worker: 'worker 1',
          startedAt: '2026-11-21T09:00:01.000Z',
          doneAt: '2026-11-21T09:00:02.000Z',
        },
        lastProgressAt: '2026-11-21T09:00:31.000Z',
        tries: [{ part: 'chunk', position: 1, failures: 0, losses: 1, reason: 'The worker stopped responding.' }],
        action: { code: 'none', text: 'Nothing to do. Processing continues automatically.' },
        pictureQuality: {
          target: 'standard',
          isFound: true,
          renditions: [{ quality: '720p', rateFactor: 26.5, vmafMean: 93.2, vmafP5: 90.1 }],
        },
        warnings: [],
        playableSince: '2026-11-21T09:00:02.000Z',
        replacement: null,
      },
    ],
  })
export type Processing = z.output<typeof processing>
/** The same of the rows of one video, without its new source. */
export type ProcessingState = z.output<typeof shape>

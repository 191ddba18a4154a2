import { z } from 'zod'
import { pictureQuality as qualityTarget } from '../../identity/accounts/quality-schema.ts'
import { videoStatus } from '../../videos/schema.ts'
import { transcription } from '../transcripts/transcript-schema.ts'

const time = z.iso.datetime()
const count = z.int().min(0)

/** The stages of a video's processing, in order. */
export const stage = z.enum(['queued', 'analyzing', 'encoding', 'finishing', 'completed', 'failed'])
export type Stage = z.output<typeof stage>

export const taskState = z.enum(['waiting', 'running', 'retrying', 'done'])
export type TaskState = z.output<typeof taskState>

const task = {
  state: taskState.meta({ description: '`retrying`: it started before and is waiting for its next attempt.' }),
  progress: z.number().min(0).max(1).meta({ description: 'Share that is encoded, from 0 to 1.' }),
  worker: z
    .string()
    .nullable()
    .meta({ description: 'Label of its worker, valid within this response; null before it starts.', examples: ['worker 1'] }),
  startedAt: time.nullable(),
  doneAt: time.nullable(),
}

const chunk = z.object({
  position: count.meta({ description: 'From 0.' }),
  startSec: z.number().meta({ description: 'Where it starts in the video, in seconds.' }),
  endSec: z.number(),
  ...task,
})

const track = z.object({
  position: count.meta({ description: 'Order in the file, from 0.' }),
  name: z.string(),
  language: z.string().nullable().meta({ description: 'A BCP 47 language tag; null if the file does not state it.' }),
  ...task,
})

const copy = z.object({
  quality: z.string().meta({ description: 'The rendition that we copy.', examples: ['1080p'] }),
  kept: z
    .boolean()
    .meta({ description: 'Whether the copy stays. If not, it plays until an encoded rendition with a lower bitrate replaces it.' }),
  ...task,
})

const vmaf = (what: string) =>
  z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: `${what} Null if not measured.` })

const pictureQuality = z.object({
  target: qualityTarget.meta({ description: 'The picture quality to reach, by name or as scores.' }),
  isFound: z.boolean().meta({ description: 'Whether we have found the rate factor. Until then, and for the first chunks, it is 24.' }),
  renditions: z.array(
    z.object({
      quality: z.string().meta({ examples: ['1080p'] }),
      rateFactor: z.number().meta({ description: 'Constant rate factor of x264: the higher, the fewer bytes.' }),
      vmafMean: vmaf('Mean VMAF score of samples of the video, compared at the size of the highest rendition.'),
      vmafP5: vmaf('VMAF score that 95% of the frames of these samples reach.'),
    }),
  ),
})

const attempt = z.object({
  part: z.enum(['video', 'copy', 'chunk', 'audio', 'finish']).meta({ description: 'What failed; `video` is the analysis.' }),
  position: count.nullable().meta({ description: 'Position of the chunk or the audio track; null otherwise.' }),
  failures: count,
  losses: count.meta({ description: 'How often we lost its worker.' }),
  reason: z.string().meta({ description: 'Why we retry it.' }),
})

const warning = z.object({
  part: z.enum(['picture', 'audio', 'captions']),
  track: z.string().nullable().meta({ description: 'Name of the audio or caption track; null for the video itself.' }),
  startSec: z.number().meta({ description: 'Where it starts in the video, in seconds.' }),
  endSec: z.number(),
  text: z.string().meta({ description: 'What is wrong, and what plays instead.' }),
})

const shape = z.object({
  videoId: z.string(),
  status: videoStatus,
  stage,
  failureReason: z.string().nullable().meta({ description: 'Why the video is FAILED; null otherwise.' }),
  queue: z
    .object({
      position: count.nullable().meta({ description: '1 is next; null while the video waits for its next attempt.' }),
      ownVideosBefore: count.meta({ description: 'How many videos of this account come first.' }),
      otherTurnsBefore: count.meta({ description: 'How many turns of other accounts come first.' }),
      nextTryAt: time.nullable().meta({ description: 'When the next attempt after a failure is due; null otherwise.' }),
      reason: z.string(),
    })
    .nullable()
    .meta({ description: 'Why nothing is running yet; null while something is, and once processing has ended.' }),
  secondsLeft: count.nullable().meta({ description: 'Estimated seconds left, at the pace so far. Null while unknown.' }),
  progress: z.number().min(0).max(1).meta({ description: 'Share of the video that is encoded, from 0 to 1.' }),
  chunksDone: count,
  chunks: z
    .array(chunk)
    .meta({ description: 'The parts of the video that we encode separately. Empty before the analysis and once processing has ended.' }),
  audio: z.array(track),
  copy: copy.nullable().meta({
    description: 'The highest rendition, if we copy it from the file without encoding. Null otherwise, and once processing has ended.',
  }),
  lastProgressAt: time.nullable().meta({ description: 'When a part last started, progressed or ended.' }),
  tries: z.array(attempt).meta({ description: 'Parts that failed or lost their worker.' }),
  action: z
    .object({
      code: z.enum(['none', 'retry', 'upload', 'operator']),
      text: z.string(),
    })
    .meta({ description: 'What you can do. `none`: processing continues automatically, or is complete.' }),
  pictureQuality: pictureQuality.nullable().meta({
    description:
      'How we chose the bitrate of the renditions. Null if all use the usual rate factor, as for short, HDR and interlaced videos.',
  }),
  warnings: z.array(warning).meta({
    description:
      'Parts of the video that could not be decoded, and audio and caption tracks that are missing. They remain once the video is COMPLETED.',
  }),
  playableSince: time.nullable().meta({ description: 'When viewers could first watch the video; null before.' }),
})

const replacement = shape.omit({ videoId: true, status: true, failureReason: true, playableSince: true }).extend({
  uploadId: z.string().nullable().meta({ description: 'ID of the upload that received the file; null if it came from the dashboard.' }),
  sourceName: z.string().meta({ description: 'Name of the file.', examples: ['lesson-4.mp4'] }),
  reencodes: z.boolean().meta({ description: 'Whether this is the current source, encoded again to save bytes.' }),
  receivedAt: time,
})

/** What happens to a video until it is COMPLETED, for its owner. */
export const processing = shape
  .extend({
    replacement: replacement
      .nullable()
      .meta({ description: 'The same for a new source that has arrived and does not play yet; null if there is none.' }),
    transcriptions: z
      .array(transcription)
      .meta({ description: 'Requests for captions from the speech of the video, most recent first.', 'x-additive': true }),
  })
  .meta({
    id: 'Processing',
    description: 'The progress of a video until it is COMPLETED.',
    examples: [
      {
        videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
        status: 'PROCESSING',
        stage: 'encoding',
        failureReason: null,
        queue: null,
        secondsLeft: 40,
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
        transcriptions: [],
      },
    ],
  })
export type Processing = z.output<typeof processing>
/** The same for one video's rows, without its new source. */
export type ProcessingState = z.output<typeof shape>

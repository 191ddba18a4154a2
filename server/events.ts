import { z } from 'zod'

/** Data of a video event (specification §6.3): the video at the time of the event. */
const video = z.object({
  videoId: z.string(),
  durationSec: z.int().describe('Duration in seconds; 0 until we have analyzed the file.'),
  qualities: z.array(z.string()).describe('Renditions, highest first; empty until available.'),
  encrypted: z.boolean(),
  externalId: z.string().nullable().describe('Your own ID for the video, if it has one.'),
})

/** Data of events about creating, deleting and restoring a video. */
const described = video.extend({ title: z.string() })
const sampleTitle = { title: 'Harbour at dawn' }

const credits = z.string().regex(/^-?\d+(\.\d{1,6})?$/)
const wallet = z.object({
  balance: credits.describe('Credits after the change, as a decimal string.'),
  previousBalance: credits.describe('Credits before the change, as a decimal string.'),
})

const sampleVideo = {
  videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
  durationSec: 214,
  qualities: ['1080p', '720p', '480p', '360p', '240p'],
  encrypted: true,
  externalId: 'lesson-4',
}

/** The customer's own ID of a person. Stored sealed and apart from the event (`emit_event`), so that it can be erased. */
const viewerId = z
  .string()
  .nullable()
  .describe('Your own ID for the person, as in `viewer.id` of the token request. Null once we no longer keep it.')

/** How much of a video a viewer has watched. */
const viewing = z.object({
  viewerId,
  videoId: z.string(),
  percent: z.int().describe('The percentage of the video that was reached.'),
  watchedSec: z.int().describe('Distinct seconds of the video that were played.'),
  durationSec: z.int().describe('Length of the video in seconds.'),
  positionSec: z.number().describe('Where playback last was, in seconds.'),
  firstAt: z.iso.datetime().describe('When the viewer first watched the video.'),
  completedAt: z.iso.datetime().nullable().describe('When the viewer completed the video; null until then.'),
})

const sampleViewing = {
  viewerId: 'student-42',
  ...{ videoId: sampleVideo.videoId, percent: 50, watchedSec: 108, durationSec: 214, positionSec: 131.5 },
  ...{ firstAt: '2026-11-21T09:00:00.000Z', completedAt: null },
}

/**
 * Every event type (specification §6.1): when it is sent, the schema of its `data`, and a sample. The subscription list, the guide, test
 * events and the types derive from this table.
 */
export const EVENTS = {
  'video.created': {
    fires: 'An upload finished, and its video is queued for transcoding.',
    data: described,
    sample: { ...sampleVideo, ...sampleTitle, durationSec: 0, qualities: [] },
  },
  'video.processing.started': {
    fires: 'Transcoding begins.',
    data: video,
    sample: { ...sampleVideo, durationSec: 0, qualities: [] },
  },
  'video.processing.completed': { fires: 'All renditions are ready, and the video plays in full.', data: video, sample: sampleVideo },
  'video.playable': {
    fires: 'The beginning of a video plays while the rest is still being transcoded.',
    data: video,
    sample: sampleVideo,
  },
  'video.processing.failed': {
    fires: 'Transcoding failed; the payload includes a reason.',
    data: video.extend({ reason: z.string().describe('Human-readable reason.') }),
    sample: { ...sampleVideo, durationSec: 0, qualities: [], reason: 'This file is not a video. Upload a video file.' },
  },
  'video.captions.ready': {
    fires: 'Captions were generated from the speech of a video. Players offer them now.',
    data: video.extend({
      language: z.string().describe('Language of the captions, as a BCP 47 tag.'),
      cues: z.int().describe('Number of captions.'),
    }),
    sample: { ...sampleVideo, language: 'en', cues: 58 },
  },
  'video.captions.failed': {
    fires: 'We could not generate captions for a video, or it has no speech. The video plays without them.',
    data: video.extend({
      language: z.string().nullable().describe('The language that you requested; null for `auto`.'),
      code: z.string().describe('NO_AUDIO, NO_SPEECH, CAPTIONS_EXIST, LIMIT_REACHED or FAILED.'),
      reason: z.string().describe('Human-readable reason.'),
    }),
    sample: { ...sampleVideo, language: null, code: 'NO_SPEECH', reason: 'We found no speech in this video, so it has no captions.' },
  },
  'video.deleted': {
    fires: 'A video was deleted. You can restore it for 7 days.',
    data: described,
    sample: { ...sampleVideo, ...sampleTitle },
  },
  'video.restored': { fires: 'A deleted video was restored.', data: described, sample: { ...sampleVideo, ...sampleTitle } },
  'upload.failed': {
    fires:
      'An upload or import created through the API failed, was cancelled or expired. Also sent when its file could not replace a video’s source.',
    data: z.object({
      uploadId: z.string(),
      code: z
        .string()
        .describe(
          'CANCELLED, EXPIRED, NOT_A_VIDEO, EMPTY_FILE, the code of an import, such as NOT_FOUND, or of a new source, such as TRANSCODING_FAILED.',
        ),
      reason: z.string().describe('Human-readable reason.'),
      externalId: z.string().nullable().describe('Your own ID for the video, as given when the upload was created.'),
    }),
    sample: {
      uploadId: 'upl_7gQ2mLw0Zt4Bc9Xr1VnKpD',
      code: 'EXPIRED',
      reason: 'The upload expired before it was complete. The data that we received was removed.',
      externalId: 'lesson-42',
    },
  },
  'wallet.low_balance': {
    fires: 'The balance fell below the threshold you set.',
    data: wallet.extend({ threshold: credits.describe('The threshold in credits, as a decimal string.') }),
    sample: { balance: '9.9995', previousBalance: '10.0', threshold: '10' },
  },
  'wallet.refilled': {
    fires: 'The payment for a top-up was confirmed, and the credits were added.',
    data: wallet.extend({ credits: credits.describe('Credits added, as a decimal string.') }),
    sample: { balance: '59.9995', previousBalance: '9.9995', credits: '50' },
  },
  'playback.token.exhausted': {
    fires: 'An API key reached its daily token quota. Sent once per key and UTC day.',
    data: z.object({
      keyId: z.string(),
      keyPrefix: z.string().describe('First characters of the key.'),
      limit: z.int().describe('The quota that the key reached.'),
      resetAt: z.iso.datetime().describe('The next UTC midnight.'),
    }),
    sample: { keyId: 'key_5Wd0hVdS1nXo3Qm8uJcB2f', keyPrefix: 'ak_live_9fQ2', limit: 1_000, resetAt: '2026-11-22T00:00:00.000Z' },
  },
  'quota.threshold_reached': {
    fires:
      'An API key reached a percentage of its daily token quota that you set. Sent once per threshold, key and UTC day, within about a minute.',
    data: z.object({
      keyId: z.string(),
      keyPrefix: z.string().describe('First characters of the key.'),
      threshold: z.int().describe('The threshold in percent.'),
      used: z.int().describe('Tokens issued today.'),
      limit: z.int().describe('The daily quota.'),
      resetAt: z.iso.datetime().describe('The next UTC midnight.'),
    }),
    sample: {
      ...{ keyId: 'key_5Wd0hVdS1nXo3Qm8uJcB2f', keyPrefix: 'ak_live_9fQ2', threshold: 80, used: 803, limit: 1_000 },
      resetAt: '2026-11-22T00:00:00.000Z',
    },
  },
  'spend.threshold_reached': {
    fires: 'Spending reached a threshold you set. Sent once per threshold and UTC month, within about a minute.',
    data: z.object({
      threshold: credits.describe('The threshold in credits, as a decimal string.'),
      spent: credits.describe('Credits spent in the month, as a decimal string.'),
      month: z.string().describe('The UTC month, as YYYY-MM.'),
    }),
    sample: { threshold: '50', spent: '50.0005', month: '2026-11' },
  },
  'storage.threshold_reached': {
    fires:
      'Storage reached a threshold you set. Sent once per threshold, and again after storage has fallen below it, within about a minute.',
    data: z.object({
      unit: z.enum(['percent', 'bytes']).describe('The unit of the threshold: percent of the storage limit, or bytes.'),
      threshold: z.int(),
      usedBytes: z.int().describe('Bytes stored, including unfinished uploads.'),
      limitBytes: z.int().describe('The storage limit of the account in bytes.'),
    }),
    sample: { unit: 'percent', threshold: 80, usedBytes: 80_412_000_000, limitBytes: 100_000_000_000 },
  },
  'viewing.progress': {
    fires: 'A viewer named in the token has watched 25%, 50% or 75% of a video. Sent once per percentage, viewer and video.',
    data: viewing,
    sample: sampleViewing,
  },
  'viewing.completed': {
    fires:
      'A viewer named in the token has watched enough of a video to complete it: 90%, or the percentage set in Settings. Sent once per viewer and video.',
    data: viewing,
    sample: { ...sampleViewing, percent: 90, watchedSec: 193, positionSec: 214, completedAt: '2026-11-21T09:03:12.000Z' },
  },
  'viewer.sessions_exceeded': {
    fires:
      'A viewer opened more sessions than the token allows, so we refused one or ended the oldest. Sent at most once a minute per viewer.',
    data: z.object({
      viewerId,
      videoId: z.string().describe('The video of the session that was opened.'),
      maxSessions: z.int().describe('Sessions that the token allows at a time.'),
      outcome: z.enum(['refused', 'oldest-ended']).describe('Whether we refused the session, or ended the oldest one.'),
    }),
    sample: { viewerId: 'student-42', videoId: sampleVideo.videoId, maxSessions: 2, outcome: 'refused' },
  },
} as const satisfies { [Type in string]: { fires: string; data: z.ZodObject; sample: Record<string, unknown> } }

export type EventType = keyof typeof EVENTS
export type EventData<Type extends EventType> = z.output<(typeof EVENTS)[Type]['data']>

/** Events about viewers: frequent, so that an endpoint subscribes to them by choice, and stored only while one does. */
export const VIEWER_EVENTS = ['viewing.progress', 'viewing.completed', 'viewer.sessions_exceeded'] as const satisfies EventType[]

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** Returns the data of a sample event that occurs now. Its times are in the future where a real event's would be. */
export function sampleData(type: EventType, now: Date): Record<string, unknown> {
  const { sample } = EVENTS[type]
  const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
  return 'resetAt' in sample ? { ...sample, resetAt: midnight.toISOString() } : sample
}

/** What a receiver gets (specification §6.3). */
export interface EventPayload<Type extends EventType = EventType> {
  /** `evt_…`, the same for every delivery of the event. */
  eventId: string
  eventType: Type
  /** ISO 8601 UTC. */
  createdAt: string
  data: EventData<Type>
  /** Copies of `eventId` and `eventType`, under the names that tools for Stripe's events expect (additive). */
  id: string
  type: Type
}

import { z } from 'zod'

const count = z.number().int().nonnegative()
const seconds = z.number().nonnegative()
const score = z.number().min(0).max(100)

const quality = z.object({ mean: score, p5: score, min: score, pictures: count }).meta({
  description: 'VMAF of the pictures that were compared: mean, 5th percentile (nearest rank), minimum, and their number.',
})
const notMeasured = z.string().nullable().meta({ description: 'Why nothing was compared; null where it was.' })

const encoding = z.object({
  encoder: z
    .string()
    .nullable()
    .meta({ description: '`x264`, `svt-av1`, a hardware encoder, or `copy`: packets of the source. Null: not recorded.' }),
  ffmpeg: z.string().nullable().meta({ description: 'Version of ffmpeg.' }),
  options: z.array(z.string()).nullable().meta({ description: 'Options of ffmpeg for the picture, without the places of key frames.' }),
  embedded: z.string().nullable().meta({ description: 'What x264 states in the picture about its version and settings.' }),
})

const chunk = z.object({
  startFrame: count,
  frames: count,
  startSec: seconds,
  endSec: seconds,
  firstSegment: count.meta({ description: 'Media sequence number of its first segment.' }),
  seekSec: seconds.nullable().meta({ description: 'Where the source is decoded from; null: from its start.' }),
  filter: z.string().meta({ description: 'Filters of ffmpeg from pictures of the source to those of the chunk.' }),
  pairs: z.array(count).meta({ description: 'The first picture of each pair of neighbours that was compared, from 0 in the chunk.' }),
})

const rendition = z.object({
  quality: z.string(),
  width: count,
  height: count,
  codecs: z.string(),
  init: z.object({ sha256: z.string(), bytes: count }).optional().meta({
    description: 'The initialization section, where segments are fragmented MP4, as it is delivered. `bytes` leave it out.',
  }),
  bytes: count,
  vmaf: quality.nullable(),
  notMeasured,
  chunks: z.array(
    z.object({
      encoding: count.meta({ description: 'Place in `encodings`.' }),
      bytes: count,
      vmaf: quality.nullable(),
      notMeasured,
      segments: z.array(z.object({ sha256: z.string(), bytes: count })).meta({
        description: 'Each segment as it is stored and delivered: SHA-256 (hexadecimal) and bytes. Its name is the first 32 digits.',
      }),
    }),
  ),
})

/** What a quality receipt states beyond the fields of every receipt. */
export const qualityFacts = z.object({
  version: z.literal(1),
  media: z.string().meta({ description: 'Id of the media: another one for each codec, and after the source of the video was replaced.' }),
  completedAt: z.iso.datetime(),
  encrypted: z.boolean(),
  source: z.object({
    sha256: z.string(),
    bytes: count,
    frameRate: z.string(),
    videoStream: count,
    startsWith: z.array(count).meta({ description: 'Streams that must be read as well, as they decide about the start.' }),
  }),
  method: z
    .object({
      metric: z.literal('VMAF'),
      model: z.string(),
      libvmaf: z.string(),
      display: z.object({ width: count, height: count }).meta({ description: 'Size in which the pictures were compared.' }),
      sample: z.literal('pairs'),
      pairsPerChunk: count,
    })
    .nullable()
    .meta({ description: 'Null where nothing was compared.' }),
  encodings: z.array(encoding),
  chunks: z.array(chunk),
  renditions: z.array(rendition),
})
export type QualityFacts = z.output<typeof qualityFacts>

/** The payload of a quality receipt. */
export const qualityClaims = qualityFacts.extend({
  kind: z.literal('video.quality'),
  account: z.string(),
  iss: z.string(),
  sub: z.string().meta({ description: 'Id of the video.' }),
  jti: z.string(),
  iat: z.number().int(),
})
export type QualityClaims = z.output<typeof qualityClaims>

const SHA = '4872e3e2f67cb028ad7220db49eae243cb2ce18f8d0a87cb41235b5f1d3e4e87'
const SCORES = { mean: 94.612, p5: 90.204, min: 88.91, pictures: 32 }
const EXAMPLE = {
  format: 'reelgate-receipt-1' as const,
  receipt: {
    kind: 'video.quality' as const,
    account: 'acc_mG2AjJ9qxNjXce1zeJc0Pf',
    version: 1 as const,
    media: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
    completedAt: '2026-11-21T09:04:12.000Z',
    encrypted: true,
    source: { sha256: SHA, bytes: 81_220_417, frameRate: '30', videoStream: 0, startsWith: [] },
    method: {
      metric: 'VMAF' as const,
      model: 'vmaf_v0.6.1',
      libvmaf: '3.0.0',
      display: { width: 1920, height: 1080 },
      sample: 'pairs' as const,
      pairsPerChunk: 16,
    },
    encodings: [
      {
        encoder: 'x264',
        ffmpeg: '7.0',
        options: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24'],
        embedded: 'x264 - core 164 r3190 - options: crf=24.0',
      },
    ],
    chunks: [
      { startFrame: 0, frames: 2, startSec: 0, endSec: 0.067, firstSegment: 0, seekSec: null, filter: 'fps=30:start_time=0', pairs: [0] },
    ],
    renditions: [
      {
        ...{ quality: '1080p', width: 1920, height: 1080, codecs: 'avc1.640028', bytes: 186_128, vmaf: SCORES, notMeasured: null },
        chunks: [{ encoding: 0, bytes: 186_128, vmaf: SCORES, notMeasured: null, segments: [{ sha256: SHA, bytes: 186_128 }] }],
      },
    ],
    iss: 'https://video.example.com',
    sub: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
    jti: 'rcp_fooGjvNObj09AvAxkkDoSr',
    iat: 1_795_603_625,
  },
  jws: 'HEADER.PAYLOAD.SIGNATURE',
  jwks: 'https://video.example.com/.well-known/jwks.json',
}

/** A quality receipt as the API returns it and as it is downloaded. */
export const qualityReceipt = z
  .object({
    format: z.literal('reelgate-receipt-1'),
    receipt: qualityClaims,
    jws: z.string().meta({ description: 'The signed form: a compact JWS (EdDSA) whose payload is `receipt`.' }),
    jwks: z.string().meta({ description: 'URL of the public keys.' }),
  })
  .meta({ id: 'QualityReceipt', examples: [EXAMPLE] })
export type QualityReceiptFile = z.output<typeof qualityReceipt>

type Quality = z.output<typeof quality>

export const qualityQuery = z.object({
  codec: z.enum(['h264', 'av1']).optional().meta({
    description:
      'The renditions that the receipt is about; those in H.264 by default. Each codec has a receipt of its own, and not every video plays in AV1.',
  }),
})
export type QualityCodec = 'h264' | 'av1'

/** What a video's page shows of its quality receipt. */
export interface QualitySummary {
  /** `none`: no receipt is made of these media. */
  state: 'none' | 'measuring' | 'ready'
  chunks: number
  chunksDone: number
  signedAt: string | null
  /** Size in which pictures were compared; null where none were. */
  display: { width: number; height: number } | null
  parts: { startSec: number; endSec: number }[]
  /** Highest first; `chunks` are the scores of each part, null where it was not measured. */
  renditions: {
    quality: string
    bytes: number
    vmaf: Quality | null
    notMeasured: string | null
    chunks: (Omit<Quality, 'pictures'> | null)[]
  }[]
}

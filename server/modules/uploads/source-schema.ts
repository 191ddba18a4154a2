import { z } from 'zod'
import { createdUpload, createUploadInput } from './direct/direct-schema.ts'
import { importVideoInput } from './import/import-schema.ts'

const OF_CLIENT = 'This is for a client that sends the file. Leave it out, or leave out `url`.'

/** Body of `PUT /v1/video/{videoId}/source`: an upload's or an import's, without what the video already has. */
export const replaceSourceInput = createUploadInput
  .pick({ targetQuality: true, maxBytes: true, allowedOrigin: true, expiresInSec: true })
  .extend({
    encrypted: z
      .boolean()
      .optional()
      .meta({ description: 'Whether segments are encrypted with AES-128. Defaults to what the video has now.' }),
    url: importVideoInput.shape.url.optional().meta({
      description:
        'URL to download the file from. Must start with `https`. Signed URLs work. Without it, the response contains an upload URL.',
      examples: ['https://storage.example.com/clip.mp4?signature=9b74c989'],
    }),
  })
  .refine(({ url, allowedOrigin }) => url === undefined || allowedOrigin === undefined, { path: ['allowedOrigin'], message: OF_CLIENT })
  .meta({
    id: 'ReplaceSource',
    examples: [{ maxBytes: 2_000_000_000 }, { url: 'https://storage.example.com/clip.mp4?signature=9b74c989' }],
  })
export type ReplaceSourceInput = z.output<typeof replaceSourceInput>

const { uploadId, uploadUrl, protocol, expiresAt } = createdUpload.shape

export const sourceUpload = z
  .object({
    uploadId,
    videoId: z.string().meta({ description: 'The video whose source is replaced.' }),
    uploadUrl: uploadUrl.nullable().meta({
      description: 'Where to send the file, with a tus client or one PUT. It needs no API key. Null for an import.',
    }),
    protocol: protocol.nullable().meta({ description: 'The protocol for resumable uploads, tus 1.0.0. Null for an import.' }),
    expiresAt,
  })
  .meta({
    id: 'SourceUpload',
    description: 'An upload that replaces the source of a video.',
    examples: [
      {
        uploadId: 'upl_7gQ2mLw0Zt4Bc9Xr1VnKpD',
        videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
        uploadUrl: 'https://video.example.com/api/upload/upl_7gQ2mLw0Zt4Bc9Xr1VnKpD/tk3x1c-Q2mLw0Zt4Bc9Xr1VnKpDeA',
        protocol: 'tus',
        expiresAt: '2026-11-22T09:00:00.000Z',
      },
    ],
  })
export type SourceUpload = z.output<typeof sourceUpload>

export const cancelledReplacement = z
  .object({
    videoId: z.string(),
    cancelled: z.boolean().meta({ description: 'Whether there was an incomplete replacement.' }),
  })
  .meta({
    id: 'CancelledReplacement',
    description: 'The video that keeps its source.',
    examples: [{ videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA', cancelled: true }],
  })
export type CancelledReplacement = z.output<typeof cancelledReplacement>

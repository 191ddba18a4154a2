import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { sampleClipArguments } from '../../modules/transcoding/quality/sample-clip.ts'
import { extraPrefix, picturePrefix, segmentPrefix, sourceKey } from '../../modules/videos/media-keys.ts'
import { db } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { uploadCaller } from '../direct-upload.ts'
import { makeMediaFile } from './media-files.ts'
import { transcodeVideo } from './transcode-video.ts'

/** 6 s, 320×240, 10 frames a second, with a tone: another file than `shortClip`. */
export const otherClip = () => makeMediaFile('other.mp4', sampleClipArguments({ seconds: 6, width: 320, height: 240, rate: 10 }))

/** Calls that replace the sources of the videos of an account of its own. */
export async function replacer(baseUrl: string) {
  const caller = await uploadCaller(baseUrl)
  const { accountId } = caller.ctx
  const put = (videoId: string, input: unknown = {}, headers: Record<string, string> = {}) =>
    caller.call('PUT', `/v1/video/${videoId}/source`, { body: JSON.stringify(input), headers })
  const created = async (videoId: string, input: unknown = {}) => {
    const answer = await put(videoId, input)
    expect([answer.status, answer.body]).toEqual([202, expect.any(String)])
    return JSON.parse(answer.body).data as { uploadId: string; videoId: string; uploadUrl: string; expiresAt: string }
  }
  const sendTo = async (uploadUrl: string, body: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(baseUrl + new URL(uploadUrl).pathname, { method: 'PUT', body })
    return { status: answer.status, body: await answer.text() }
  }
  return {
    ...caller,
    put,
    created,
    sendTo,
    /** Creates an upload for a video and sends a file. Returns the id of the upload. */
    async sent(videoId: string, file: string | Uint8Array<ArrayBuffer>, input: unknown = {}): Promise<string> {
      const { uploadId, uploadUrl } = await created(videoId, input)
      const answer = await sendTo(uploadUrl, typeof file === 'string' ? new Uint8Array(await readFile(file)) : file)
      expect([answer.status, answer.body]).toEqual([200, expect.any(String)])
      return uploadId
    },
    /** Returns the ids of the media that is to replace that of a video. */
    pending: async (videoId: string) =>
      (await db().media.findMany({ where: { videoId, playing: null, keptUntil: null }, select: { id: true } })).map(({ id }) => id),
    /** Runs the tasks of media. */
    async transcode(mediaId: string) {
      const { videoId } = await db().media.findUniqueOrThrow({ where: { id: mediaId } })
      await transcodeVideo({ accountId, videoId, mediaId }, new AbortController().signal)
    },
  }
}

/** Returns the keys of what is stored under an id. */
export async function storedUnder(id: string): Promise<string[]> {
  const keys = (await storage().stat(sourceKey(id))) ? [sourceKey(id)] : []
  for (const prefix of [segmentPrefix(id), picturePrefix(id), extraPrefix(id)])
    for await (const key of storage().list(prefix)) keys.push(key)
  return keys
}

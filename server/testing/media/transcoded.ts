import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AccountCtx } from '../../context.ts'
import { openContentKey, sealContentKey } from '../../modules/transcoding/encode/content-key.ts'
import { picturePrefix, segmentPrefix, sourceKey } from '../../modules/videos/media-keys.ts'
import { db } from '../../platform/database/database.ts'
import { ffmpegProgram } from '../../platform/ffmpeg/ffmpeg-programs.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { storage } from '../../platform/storage/storage.ts'
import { makeVideo } from '../make.ts'
import { pendingVideo } from '../upload.ts'
import { transcodeVideo } from './transcode-video.ts'

const root = join(import.meta.dirname, '../../..')

interface Options {
  targetQuality: string
  encrypted?: boolean
}

/** What a transcoding left, apart from the video's ID. */
interface Kept {
  video: Awaited<ReturnType<typeof readVideo>>
  contentKey: string | undefined
  renditions: Awaited<ReturnType<typeof readRenditions>>
  audio: Awaited<ReturnType<typeof readAudio>>
  iframes: Awaited<ReturnType<typeof readIframes>>
  log: { step: string; message: string }[]
  /** Names of its objects, with the prefix `segments` or `pictures`. */
  objects: string[]
}

/**
 * Creates a COMPLETED video from a file, with its media. The first call transcodes and keeps the result under `.cache/fixtures`, per ffmpeg
 * and source of the transcoding; later calls put it into the store. For tests that are not about transcoding.
 */
export async function transcodedVideo(ctx: AccountCtx, path: string, options: Options): Promise<string> {
  const folder = join(root, '.cache/fixtures', `transcoded-${hashOf(path, options)}`)
  if (existsSync(folder)) return restored(ctx, path, folder)
  const id = await pendingVideo(ctx, path, options)
  await db().media.update({ where: { id }, data: { encrypted: options.encrypted ?? true } })
  await transcodeVideo({ accountId: ctx.accountId, videoId: id }, new AbortController().signal)
  await keep(id, folder)
  return id
}

function hashOf(path: string, options: Options): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([ffmpegProgram(), options]))
    .update(readFileSync(path))
  const sources = globSync('server/{modules/transcoding,platform}/*.ts', { cwd: root }).filter((name) => !name.endsWith('.test.ts'))
  for (const name of sources.sort()) hash.update(readFileSync(join(root, name)))
  return hash.digest('hex').slice(0, 16)
}

const PREFIXES = { segments: segmentPrefix, pictures: picturePrefix }
const keyOf = (id: string, object: string) => {
  const [prefix, name] = object.split('/') as [keyof typeof PREFIXES, string]
  return `${PREFIXES[prefix](id)}${name}`
}

async function keep(id: string, folder: string): Promise<void> {
  // Written under another name and renamed: concurrent test files may need the same video.
  const unfinished = join(dirname(folder), randomUUID())
  const objects: string[] = []
  for (const [prefix, of] of Object.entries(PREFIXES)) {
    await mkdir(join(unfinished, prefix), { recursive: true })
    for await (const key of storage().list(of(id))) {
      const object = `${prefix}/${key.slice(of(id).length)}`
      objects.push(object)
      const parts: Uint8Array[] = []
      for await (const part of storage().read(key)) parts.push(Uint8Array.from(part))
      await writeFile(join(unfinished, object), Buffer.concat(parts))
    }
  }
  const { contentKey } = await db().media.findUniqueOrThrow({ where: { id }, select: { contentKey: true } })
  const kept: Kept = {
    video: await readVideo(id),
    contentKey: contentKey ? openContentKey(contentKey, id).toString('base64') : undefined,
    renditions: await readRenditions(id),
    audio: await readAudio(id),
    iframes: await readIframes(id),
    log: await db().videoLog.findMany({ where: { videoId: id }, orderBy: { id: 'asc' }, select: { step: true, message: true } }),
    objects,
  }
  await writeFile(join(unfinished, 'video.json'), JSON.stringify(kept))
  await rename(unfinished, folder).catch(() => {})
}

async function restored(ctx: AccountCtx, path: string, folder: string): Promise<string> {
  const kept: Kept = JSON.parse(await readFile(join(folder, 'video.json'), 'utf8'))
  const { storyboard, pictureBytes, sourceBytes, ...video } = kept.video
  const key = sourceKey(newId('src'))
  await storage().putFile(key, path)
  const at = new Date()
  const id = await makeVideo(ctx, {
    ...video,
    ...(storyboard === null ? {} : { storyboard }),
    pictureBytes: BigInt(pictureBytes),
    sourceBytes: BigInt(sourceBytes),
    sourceKey: key,
    createdAt: at,
    startedAt: at,
    completedAt: at,
  })
  for (const object of kept.objects) await storage().putFile(keyOf(id, object), join(folder, object))
  const contentKey = kept.contentKey === undefined ? null : sealContentKey(Buffer.from(kept.contentKey, 'base64'), id)
  await db().media.update({ where: { id }, data: { contentKey } })
  await db().rendition.createMany({ data: kept.renditions.map((one) => ({ ...one, bytes: BigInt(one.bytes), mediaId: id })) })
  await db().audioRendition.createMany({ data: kept.audio.map((one) => ({ ...one, bytes: BigInt(one.bytes), mediaId: id })) })
  await db().iframeRendition.createMany({ data: kept.iframes.map((one) => ({ ...one, bytes: BigInt(one.bytes), mediaId: id })) })
  await db().videoLog.createMany({ data: kept.log.map((line) => ({ ...line, videoId: id })) })
  return id
}

async function readVideo(id: string) {
  const { pictureBytes, sourceBytes, ...video } = await db().media.findUniqueOrThrow({
    where: { id },
    select: {
      durationSec: true,
      targetQuality: true,
      qualities: true,
      encrypted: true,
      poster: true,
      posterCandidates: true,
      storyboard: true,
      closedCaptions: true,
      attempts: true,
      pictureBytes: true,
      sourceBytes: true,
    },
  })
  return { ...video, pictureBytes: String(pictureBytes), sourceBytes: String(sourceBytes) }
}

async function readRenditions(id: string) {
  const rows = await db().rendition.findMany({ where: { mediaId: id }, omit: { mediaId: true } })
  return rows.map((row) => ({ ...row, bytes: String(row.bytes), segments: row.segments as [string, number][] }))
}

async function readAudio(id: string) {
  const rows = await db().audioRendition.findMany({ where: { mediaId: id }, omit: { mediaId: true } })
  return rows.map((row) => ({ ...row, bytes: String(row.bytes), segments: row.segments as [string, number][] }))
}

async function readIframes(id: string) {
  const rows = await db().iframeRendition.findMany({ where: { mediaId: id }, omit: { mediaId: true } })
  return rows.map((row) => ({ ...row, bytes: String(row.bytes), segments: row.segments as [string, number][] }))
}

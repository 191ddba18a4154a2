import { existsSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { JOBS } from '../jobs.ts'
import { storageOf } from '../modules/identity/accounts/storage.ts'
import { runImport } from '../modules/uploads/import/import-run.ts'
import { uploadPath } from '../modules/uploads/resumable/folder.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import type { Resolve } from '../platform/network/look-up-name.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from './database.ts'
import { uploadCaller } from './direct-upload.ts'
import { startHttpServer } from './http-server.ts'
import { logLines } from './logs.ts'
import { startFileServer } from './services/file-server.ts'
import { provide } from './settings.ts'
import { sha256 } from './tus-client.ts'

const SETTINGS = {
  IMPORT_ALLOWED_HOSTS: '127.0.0.1',
  MAX_UPLOAD_BYTES: String(64 * 1024 ** 2),
  STORAGE_RESERVE_BYTES: '0',
  REELGATE_TEST_UPLOAD_STALL_SEC: '',
  MAX_UNFINISHED_UPLOADS: '3',
}
/** More than an import takes before it fails. */
const MAX_RUNS = 20

/** Starts the API, a file server and the job queue without workers. Each test has its own account and key. */
export async function startImports() {
  await testDatabase()
  provide(SETTINGS)
  const baseUrl = await startHttpServer()
  const source = await startFileServer()
  let current: Awaited<ReturnType<typeof uploadCaller>>
  const newCaller = async () => {
    current = await uploadCaller(baseUrl)
  }
  beforeAll(() => startQueue(JOBS))
  afterAll(stopQueue)
  beforeEach(async () => {
    provide(SETTINGS)
    await newCaller()
  })
  const caller = () => current
  const post = (input: unknown, headers: Record<string, string> = {}) =>
    current.call('POST', '/v1/video/import', { body: JSON.stringify(input), headers })
  const importRow = (id: string) => db().uploadImport.findUnique({ where: { id } })
  const stateOf = (uploadId: string) => current.get(uploadId)
  return {
    source,
    lines: logLines(),
    caller,
    newCaller,
    post,
    importRow,
    stateOf,
    /** Creates an import from the file server. Returns its ID. */
    async create(input: Record<string, unknown> = {}): Promise<string> {
      const answer = await post({ url: `${source.url}/clips/clip.mp4?signature=s3cret`, ...input })
      if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body}`)
      return JSON.parse(answer.body).data.uploadId
    },
    /** Runs an import as its jobs would, without the time between them, until it ends. Returns its state and the number of runs. */
    async runToEnd(uploadId: string, resolve?: Resolve) {
      for (let runs = 1; runs <= MAX_RUNS; runs++) {
        await runImport(uploadId, new AbortController().signal, resolve)
        const state = await stateOf(uploadId)
        if (!['waiting', 'uploading'].includes(state.status)) return { ...state, runs }
      }
      throw new Error('The import does not end.')
    },
    /** Checks that the import became a video with these bytes, and that nothing else is left of it. Returns the video's ID. */
    async expectVideo(uploadId: string, file: Uint8Array): Promise<string> {
      const { status, bytesReceived, videoId, failureCode } = await stateOf(uploadId)
      expect([status, failureCode, bytesReceived]).toEqual(['completed', null, file.length])
      const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
      expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
      const sums = { uploads: 0, unfinishedBytes: 0, videos: 1, originalBytes: file.length }
      expect(await storageOf(current.ctx.accountId)).toMatchObject(sums)
      expect(await importRow(uploadId)).toBeNull()
      return videoId
    },
    /** Checks that nothing is left of an import that ended without a video. */
    async expectNothingLeft(uploadId: string): Promise<void> {
      const { accountId } = current.ctx
      expect(await storageOf(accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 0, totalBytes: 0 })
      expect(await importRow(uploadId)).toBeNull()
      expect([existsSync(uploadPath(uploadId)), existsSync(`${uploadPath(uploadId)}.json`)]).toEqual([false, false])
      expect(await db().video.count({ where: { accountId } })).toBe(0)
    },
    /** Returns the data of the account's events of a type. */
    async events(type: string) {
      const found = await db().webhookEvent.findMany({ where: { accountId: current.ctx.accountId, type } })
      return found.map(({ payload }) => JSON.parse(payload).data)
    },
  }
}

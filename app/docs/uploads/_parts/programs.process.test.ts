import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '#server/jobs'
import { runImport } from '#server/modules/uploads/import/import-run'
import { db } from '#server/platform/database/database'
import { startQueue, stopQueue } from '#server/platform/job-queue'
import { testDatabase } from '#server/testing/database'
import { uploadCaller } from '#server/testing/direct-upload'
import { startHttpServer } from '#server/testing/http-server'
import { inRanges, startFileServer } from '#server/testing/services/file-server'
import { provide } from '#server/testing/settings'
import { likeVideo } from '#server/testing/tus-client'

const { dataDir } = await testDatabase()
const baseUrl = await startHttpServer()
let caller: Awaited<ReturnType<typeof uploadCaller>>
beforeAll(async () => {
  await startQueue(JOBS)
  caller = await uploadCaller(baseUrl)
})
afterAll(stopQueue)

function run(command: string, file: string, more: Record<string, string>) {
  const env = { ...process.env, REELGATE_URL: baseUrl, REELGATE_API_KEY: caller.key, ...more }
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(command, [join(process.cwd(), 'docs/snippets', file)], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

const hasJq = spawnSync('jq', ['--version']).status === 0

it.skipIf(!hasJq)('the guide’s shell program uploads a file and prints the id of its video, or what was refused', async () => {
  const FILE = join(dataDir, 'clip.mkv')
  writeFileSync(FILE, likeVideo(100_000))
  const { stdout, code } = await run('sh', 'upload-file.sh', { FILE })
  expect(code).toBe(0)
  const { title, media } = await db().video.findUniqueOrThrow({ where: { id: stdout.trim() }, include: { media: true } })
  expect([title, media?.sourceBytes]).toEqual(['Harbour at dawn', 100_000n])
  const refused = await run('sh', 'upload-file.sh', { FILE, REELGATE_API_KEY: 'x' })
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([1, expect.stringMatching(/INVALID_API_KEY: .+ \(req_/)])
})

it('the guide’s backend program prints the URL of one upload, however often it runs', async () => {
  const more = { PAGE_ORIGIN: 'https://www.example.com' }
  const first = await run(process.execPath, 'create-upload.mjs', more)
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/api\/upload\/upl_\w+\/[\w-]+\n$/) })
  expect((await run(process.execPath, 'create-upload.mjs', more)).stdout).toBe(first.stdout)
  const [, id] = /(upl_\w{22})/.exec(first.stdout) ?? []
  expect(await db().directUpload.findUnique({ where: { id } })).toMatchObject({
    allowedOrigin: 'https://www.example.com',
    fields: { title: 'Lesson 42', externalId: 'lesson-42' },
  })
})

it('the guide’s import program prints the id of the imported video, or why there is none', async () => {
  provide({ IMPORT_ALLOWED_HOSTS: '127.0.0.1' })
  const source = await startFileServer()
  const open = () => db().directUpload.findFirstOrThrow({ where: { importedFrom: `${source.url}/clip.mkv`, state: 'open' } })
  const imported = async () => {
    const program = run(process.execPath, 'import-video.mjs', { SOURCE_URL: `${source.url}/clip.mkv?signature=x` })
    const { id } = await vi.waitFor(open)
    await runImport(id, new AbortController().signal)
    return program
  }
  source.serve(inRanges(likeVideo(100_000)))
  caller = await uploadCaller(baseUrl)
  const { stdout, code } = await imported()
  expect(code).toBe(0)
  const { title, media } = await db().video.findUniqueOrThrow({ where: { id: stdout.trim() }, include: { media: true } })
  expect([title, media?.sourceBytes]).toEqual(['Lesson 42', 100_000n])
  source.serve((_req, res) => res.writeHead(403).end())
  caller = await uploadCaller(baseUrl)
  expect(await imported()).toMatchObject({ code: 1, stderr: expect.stringMatching(/ACCESS_DENIED: The server denied access/) })
})

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makeVideo } from '#server/testing/make'
import { readProgram } from '../../_parts/read-program.ts'
import { PROGRAMS } from './programs.ts'

await testDatabase()
const baseUrl = await startHttpServer()

const folder = mkdtempSync(join(tmpdir(), 'reelgate-programs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** How each language runs a file, and the programs it requires. */
const RUN: Record<(typeof PROGRAMS)[number]['language'], { needs: string[][]; command: string; args: string[] }> = {
  Node: { needs: [], command: process.execPath, args: [] },
  Python: { needs: [['python3', '--version']], command: 'python3', args: [] },
  PHP: { needs: [['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);']], command: 'php', args: [] },
  Go: { needs: [['go', 'version']], command: 'go', args: ['run'] },
  curl: {
    needs: [
      ['curl', '--version'],
      ['jq', '--version'],
    ],
    command: 'sh',
    args: [],
  },
}
const has = (needs: string[][]) =>
  needs.every(([command = '', ...args]) => {
    const isThere = spawnSync(command, args).status === 0
    if (!isThere) process.stderr.write(`Skipped: the program of the guide needs ${command}\n`)
    return isThere
  })

let key: string
let ready: string
let pending: string
beforeAll(async () => {
  const owner = await makeAccount()
  key = (await makeKey(owner)).value
  ready = await makeVideo(owner)
  pending = await makeVideo(owner, { status: 'PENDING' })
})

const run = (language: keyof typeof RUN, file: string, videoId: string) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const { command, args } = RUN[language]
    const path = join(process.cwd(), 'docs/snippets', file)
    const env = { ...process.env, REELGATE_URL: baseUrl, REELGATE_API_KEY: key, VIDEO_ID: videoId, GOCACHE: folder, GOFLAGS: '-p=1' }
    execFile(command, [...args, path], { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

it.each(PROGRAMS)('the guide’s $language program exists', ({ file }) => {
  expect(readProgram(file)).toContain('x-service-key')
})

it.each(PROGRAMS.filter(({ language }) => has(RUN[language].needs)))(
  'the guide’s $language program prints a player’s address, or what was refused',
  async ({ language, file }) => {
    const good = await run(language, file, ready)
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining(`${baseUrl}/embed/${ready}?token=pt_`) })
    const refused = await run(language, file, pending)
    expect(refused.code).not.toBe(0)
    expect(refused.stdout + refused.stderr).toMatch(/VIDEO_NOT_READY: .+ \(req_/)
  },
)

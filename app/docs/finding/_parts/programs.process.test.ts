import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makeVideo } from '#server/testing/make'
import { readProgram } from '../../_parts/read-program.ts'
import { PROGRAMS } from './programs.ts'

await testDatabase()
const baseUrl = await startHttpServer()

/** How each language runs a file, and the programs it requires. */
const RUN: Record<(typeof PROGRAMS)[number]['language'], { needs: string[][]; command: string }> = {
  TypeScript: { needs: [], command: process.execPath },
  Python: { needs: [['python3', '--version']], command: 'python3' },
  PHP: { needs: [['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);']], command: 'php' },
  Shell: {
    needs: [
      ['curl', '--version'],
      ['jq', '--version'],
    ],
    command: 'sh',
  },
}
const has = (needs: string[][]) =>
  needs.every(([command = '', ...args]) => {
    const isThere = spawnSync(command, args).status === 0
    if (!isThere) process.stderr.write(`Skipped: the program of the guide needs ${command}\n`)
    return isThere
  })

/** More than a page, with a value that must be escaped. */
const COURSE = 'physics & more: 1'
let key: string
let expected: string[]
beforeAll(async () => {
  const owner = await makeAccount()
  key = (await makeKey(owner)).value
  expected = []
  for (let at = 0; at < 103; at++) {
    const video = { title: `Lesson ${at}`, metadata: { course: COURSE }, createdAt: new Date(Date.UTC(2026, 0, 1, 0, at)) }
    expected.unshift(`${await makeVideo(owner, video)} Lesson ${at}`)
  }
  await makeVideo(owner, { metadata: { course: 'other' } })
  await makeVideo(owner, { metadata: { course: COURSE }, status: 'FAILED' })
})

const run = (language: keyof typeof RUN, file: string, own = key) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, REELGATE_URL: baseUrl, REELGATE_API_KEY: own, COURSE }
    const path = join(process.cwd(), 'docs/snippets', file)
    execFile(RUN[language].command, [path], { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

it.each(PROGRAMS)('the guide’s $language program exists', ({ file }) => {
  expect(readProgram(file)).toContain('x-service-key')
})

it.each(PROGRAMS.filter(({ language }) => has(RUN[language].needs)))(
  'the guide’s $language program prints every video of a course, or what was refused',
  async ({ language, file }) => {
    const { code, stdout } = await run(language, file)
    expect([code, stdout.trim().split('\n')]).toEqual([0, expected])
    const refused = await run(language, file, 'ak_live_wrong')
    expect(refused.code).not.toBe(0)
    expect(refused.stdout + refused.stderr).toMatch(/INVALID_API_KEY: .+ \(req_/)
  },
)

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { newSigningSecret, signatureHeader } from '#server/modules/webhooks/delivery/signature'
import { send } from '#server/testing/client'
import { freePort } from '../../../../server/platform/config/free-port.ts'
import { readProgram } from '../../_parts/read-program.ts'
import { RECEIVERS } from './receivers.ts'

const folder = mkdtempSync(join(tmpdir(), 'reelgate-receivers-'))
const started: ChildProcess[] = []
afterAll(() => {
  for (const { pid } of started) if (pid) process.kill(-pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const secret = newSigningSecret()
const fileOf = (name: string) => join(process.cwd(), 'docs/snippets', name)

/** The programs each receiver requires, and how it runs as a server. */
const RUN: Record<(typeof RECEIVERS)[number]['language'], { needs?: string[]; command: (file: string, port: number) => string[] }> = {
  Node: { command: (file) => [process.execPath, file] },
  Python: { needs: ['python3', '--version'], command: (file) => ['python3', file] },
  PHP: { needs: ['php', '--version'], command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file] },
  Go: { needs: ['go', 'version'], command: (file) => ['go', 'run', file] },
}
function has([command = '', ...args]: string[]): boolean {
  const isThere = spawnSync(command, args).status === 0
  if (!isThere) process.stderr.write(`Skipped: a receiver of the guide needs ${command}\n`)
  return isThere
}

it.each(RECEIVERS)('the $language receiver exists', ({ file }) => {
  expect(readProgram(file).toLowerCase()).toMatch(/x.service.signature/)
})

it.each(RECEIVERS.filter(({ language }) => !RUN[language].needs || has(RUN[language].needs)))(
  'the $language receiver accepts genuine signatures alone',
  async ({ language, file }) => {
    const port = await freePort()
    const [command = '', ...args] = RUN[language].command(fileOf(file), port)
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), GOCACHE: folder, GOFLAGS: '-p=1' }
    started.push(spawn(command, args, { env, detached: true, stdio: 'ignore' }))
    const body = JSON.stringify({
      eventId: 'evt_1',
      eventType: 'wallet.refilled',
      createdAt: '2026-11-21T09:00:00.000Z',
      data: { words: 'Grüße 🎬' },
    })
    const now = Math.floor(Date.now() / 1_000)
    const answer = async (signature: string | undefined, sent = body) => {
      const headers = { 'content-type': 'application/json', ...(signature === undefined ? {} : { 'x-service-signature': signature }) }
      return (await send(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body: sent })).status
    }
    const genuine = signatureHeader([secret], now, body)
    await expect.poll(() => answer(genuine).catch(() => 0)).toBe(200)
    // While a secret is rotated, with either of the two secrets.
    expect(await answer(signatureHeader([newSigningSecret(), secret], now, body))).toBe(200)
    expect(await answer(signatureHeader([secret, newSigningSecret()], now, body))).toBe(200)

    expect(await answer(genuine, body.replace('refilled', 'Refilled'))).toBe(400)
    expect(await answer(signatureHeader([newSigningSecret()], now, body))).toBe(400)
    expect(await answer(signatureHeader([secret], now - 3_600, body))).toBe(400)
    expect(await answer(signatureHeader([secret], now + 3_600, body))).toBe(400)
    expect(await answer(genuine.replace(`t=${now}`, `t=${now + 1}`))).toBe(400)
    for (const nonsense of [undefined, '', 't=', `t=${now}`, `t=${now},v1=`, `t=${now},v1=zz`, 'v1=00', genuine.replace('v1=', 'v0=')])
      expect([nonsense, await answer(nonsense)]).toEqual([nonsense, 400])
  },
  90_000,
)

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { childEnvironment } from '../server/platform/config/config.ts'
import { freePort } from '../server/platform/config/free-port.ts'
import { ffmpegProgram } from '../server/platform/ffmpeg/ffmpeg-programs.ts'
import { dataFolder, startService } from '../server/testing/services/whole-service.ts'
import { provide } from '../server/testing/settings.ts'
import { Dashboard } from './demo-dashboard.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'reelgate-newcomer-'))
const started: ChildProcess[] = []
afterAll(() => {
  for (const { pid, exitCode, signalCode } of started) if (pid && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A newcomer's terminal: the commands that a page or the demo prints, with this Node, and no setting of this repository. */
function terminal(cwd: string, commands: string, settings: Record<string, string> = {}) {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const env = { ...childEnvironment(), PATH: path, HOME: folder, ...settings }
  const child = spawn('bash', ['-e', '-c', commands], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { said: () => said, ended }
}

async function finished(cwd: string, commands: string, settings: Record<string, string> = {}): Promise<string> {
  const { said, ended } = terminal(cwd, commands, settings)
  expect(await ended, said()).toBe(0)
  return said()
}

/** Returns the lines of a text that begin with one of the words, without their indent. */
const commandsOf = (text: string, ...words: string[]): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => words.some((word) => line.startsWith(`${word} `)))

/** Returns the listing of a guide by the name of its constant. */
function listing(page: string, name: string): string {
  const [, text] = new RegExp(`^export const ${name} = \`([^\`]*)\``, 'm').exec(readFileSync(join(root, 'app/docs', page), 'utf8')) ?? []
  if (!text) throw new Error(`${page} has no ${name}.`)
  return text
}

let PORT: string
beforeAll(async () => {
  PORT = String(await freePort())
  provide({ BASE_URL: `http://localhost:${PORT}` })
  await startService(dataFolder(), { PORT }).says(/Reelgate is ready/)
})

it('reaches the first playback and the first verified webhook with the commands that the demo and the guides print', async () => {
  const hooks = String(await freePort())
  const began = performance.now()
  const since = () => `${((performance.now() - began) / 1_000).toFixed(0)} s`

  const shown = await finished(folder, `node ${join(root, 'scripts/demo.ts')} --once`, { PORT })
  const requests = commandsOf(shown, 'curl')
  expect(requests).toHaveLength(4)
  const answers: { success: boolean; data: { masterPlaylistUrl?: string } }[] = []
  for (const request of requests) answers.push(JSON.parse(await finished(folder, request)))
  expect(answers.map(({ success }) => success)).toEqual([true, true, true, true])
  const playlist = answers.at(-1)?.data.masterPlaylistUrl as string
  // Decodes every segment, as a player does, and ends with an error when one cannot be decrypted.
  await finished(folder, `"${ffmpegProgram()}" -nostdin -v error -xerror -i "${playlist}" -f null -`)
  console.info(`first playback after ${since()} of commands`)

  // The demo's commands for a project, one terminal each; only the port of the receiver is another.
  const project = join(folder, 'project')
  mkdirSync(project)
  const commands = commandsOf(shown, 'cp', 'set', 'npm', 'npx').map((line) => line.replace('localhost:4000', `localhost:${hooks}`))
  const at = commands.findIndex((line) => line.includes(' listen '))
  expect([at, commands.length]).toEqual([3, 5])
  const settings = commands.slice(0, 2).join('\n')
  const listening = terminal(project, commands.slice(0, at + 1).join('\n'))
  await expect.poll(listening.said).toMatch(/whsec_\w+/)
  const [WEBHOOK_SECRET = ''] = /whsec_\w+/.exec(listening.said()) ?? []
  // The receiver of the guide on webhooks.
  const receiver = terminal(project, `node ${join(root, 'docs/snippets/verify-webhook.mjs')}`, { WEBHOOK_SECRET, PORT: hooks })
  const probe = () =>
    fetch(`http://localhost:${hooks}/`, { method: 'POST' }).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(probe).toBe(400)
  await finished(project, `${settings}\n${commands.at(-1)}`)
  await expect.poll(receiver.said).toContain('video.processing.completed')
  console.info(`first verified webhook after ${since()} of commands`)
}, 300_000)

it('a second run of the demo uses the account, the keys and the video of the first, and replaces a revoked key', async () => {
  const run = async () => {
    const shown = await finished(folder, `node ${join(root, 'scripts/demo.ts')} --once`, { PORT })
    const { playerUrl, ...account } = JSON.parse(shown.trim().split('\n').at(-1) as string)
    const token = new URL(playerUrl).searchParams.get('token')
    expect((await fetch(`${account.baseUrl}/v1/video/playback/manifest/${token}`)).status).toBe(200)
    return { shown, account }
  }
  const first = await run()
  const second = await run()
  expect(second.account).toEqual(first.account)
  expect(second.shown).toContain(`Using the demo account from an earlier run, ${first.account.email}`)
  expect(second.shown).not.toContain('Uploading')

  const { baseUrl, email, password, apiKey } = first.account
  const dashboard = await Dashboard.signIn(baseUrl, email, password)
  const keys = await dashboard.query<{ id: string; name: string }[]>('key.list')
  await dashboard.mutate('key.revoke', { keyId: keys.find(({ name }) => name === 'Demo')?.id })
  const { account } = await run()
  expect(account).toEqual({ ...first.account, apiKey: expect.stringMatching(/^ak_live_/) })
  expect(account.apiKey).not.toBe(apiKey)
}, 300_000)

it('the guide on webhooks prints the commands that the demo prints', () => {
  const commands = commandsOf(listing('webhooks/page.mdx', 'LISTEN'), 'npm', 'npx')
  const demo = commandsOf(readFileSync(join(root, 'scripts/demo.ts'), 'utf8'), 'npm', 'npx')
  expect(commands.map((line) => line.replace(/ --save-dev| +#.*/g, ''))).toEqual(demo)
})

import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { childEnvironment, env } from './platform/config/config.ts'
import { migrationNames } from './platform/database/migration-names.ts'
import { send } from './testing/client.ts'
import { testDatabase } from './testing/database.ts'
import { captureOutput } from './testing/logs.ts'
import { makeAccount, makeKey } from './testing/make.ts'
import { atFileEnd } from './testing/media/file-end.ts'
import { makePlayable } from './testing/media/playable.ts'

const root = join(import.meta.dirname, '..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] })

const textOf = (...args: string[]) =>
  git(...args)
    .toString()
    .trim()

/**
 * Returns the commit of the previous release, which REELGATE_PREVIOUS can name. Before the first release it is the commit before the last
 * change of schema or routines, unless that change gave the schema another name: then no database moves from one to the other. Returns
 * undefined, with a printed line, where there is none.
 */
function previousRelease(): string | undefined {
  try {
    const [tag] = textOf('tag', '--list', 'v*', '--sort=-v:refname', '--no-contains', 'HEAD').split('\n')
    const found = process.env.REELGATE_PREVIOUS || tag || commitBeforeSchema()
    if (found) return found
  } catch {
    // Not a clone with its history, such as an unpacked archive.
  }
  process.stderr.write('There is no previous release whose schema this version extends: none is tried against it.\n')
  return undefined
}

function commitBeforeSchema(): string | undefined {
  const before = `${textOf('log', '-1', '--first-parent', '--format=%H', '--', 'prisma')}^1`
  const names = textOf('ls-tree', '-d', '--name-only', `${before}:prisma/migrations`).split('\n')
  return names.every((name) => migrationNames().includes(name)) ? before : undefined
}

const release = previousRelease()
const { dataDir } = await testDatabase()

/** Unpacks the release with the packages of this folder, and generates its database client. */
function unpack(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-previous-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, '.cache'))
  writeFileSync(join(folder, '.cache/.keep'), '')
  const generate = [join(root, 'node_modules/prisma/build/index.js'), 'generate']
  execFileSync(process.execPath, generate, { cwd: folder, env: { ...childEnvironment(), PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' } })
  return folder
}

test.runIf(release)(
  'the previous release serves with the schema of this version',
  async () => {
    const owner = await makeAccount()
    const headers = { 'x-service-key': (await makeKey(owner)).value }
    const video = await makePlayable(owner)
    const folder = unpack(release as string)
    const { DATABASE_URL, REELGATE_SECRET } = env()
    const settings = { DATABASE_URL, DATA_DIR: dataDir, REELGATE_SECRET, BASE_URL: 'http://localhost', LOG_LEVEL: 'error' }
    const child = fork(join(folder, 'server/testing/services/web-process-main.ts'), [JSON.stringify(settings), '{}'], {
      cwd: folder,
      env: childEnvironment(),
      silent: true,
    })
    atFileEnd(() => void child.kill('SIGKILL'))
    captureOutput(child.stdout, child.stderr)
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', resolve as (message: unknown) => void)
      child.once('exit', (code) => reject(new Error(`the previous release ended with ${code}`)))
    })
    const statuses = async (method: string, ...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await send(url + path, { method, headers })).status))
    expect(await statuses('GET', '/readyz', '/v1/video', `/v1/video/${video.id}`, ...video.granted, video.segment)).not.toContain(500)
    expect(await statuses('GET', '/readyz', '/v1/video', `/v1/video/${video.id}`)).toEqual([200, 200, 200])
    expect(await statuses('POST', `/v1/video/${video.id}/playback-token`)).toEqual([200])
  },
  120_000,
)

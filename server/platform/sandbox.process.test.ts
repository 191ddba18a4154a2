import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { services } from './container.ts'
import { ffmpeg, ProgramFailed } from './ffmpeg.ts'
import { sandboxPrefix } from './sandbox.ts'
import { rootCommands } from './sandbox-root.ts'

const { dataDir } = await testDatabase()
/** The command that is in use here, and the ones after it. Containers without user namespaces have none; a line at start reports this. */
const best = services().sandboxAbilities.files
const usable = best ? rootCommands().slice(rootCommands().findIndex(([program]) => program === best[0])) : []

let folder: string
let secret: string
let input: string
let work: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelgate-cage-'))
  work = mkdtempSync(join(folder, 'work-'))
  input = join(folder, 'input')
  secret = join(dataDir, 'secret')
  writeFileSync(input, 'the input', { mode: 0o600 })
  writeFileSync(secret, 'the root secret', { mode: 0o600 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a shell script where ffmpeg runs. Code that exploits ffmpeg has the same rights. */
function inside(script: string): { status: number | null; output: string } {
  const reach = { reads: [input], writes: [work] }
  const [command = '', ...words] = [...sandboxPrefix('sh', { online: false, reach }), 'sh', '-c', script]
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

it.runIf(process.platform === 'linux')('does not start once the process that computed its prefix is no longer its parent', () => {
  const out = join(folder, 'started')
  const reach = { reads: [input], writes: [folder] }
  const command = [...sandboxPrefix('sh', { online: false, reach }), 'sh', '-c', `echo started > '${out}'`]
  // As after a kill between the fork and `setpriv`: another process is the parent by then.
  const { status } = spawnSync('sh', ['-c', '"$@"; exit $?', 'sh', ...command])
  expect([status === 0, existsSync(out)]).toEqual([false, false])
})

describe.each(usable.map((command) => ({ with: command[0], command })))('a program that is confined with $with', ({ command }) => {
  beforeAll(() => {
    services().sandboxAbilities.files = command
  })
  afterAll(() => {
    services().sandboxAbilities.files = best
  })

  it('reads its input and writes to its folder', () => {
    expect(inside(`cat '${input}' && echo written > '${work}/out'`)).toEqual({ status: 0, output: 'the input' })
    expect(readFileSync(join(work, 'out'), 'utf8')).toBe('written\n')
  })

  it.each([
    ['the root secret', () => `cat '${secret}'`],
    ['other files next to its input', () => `ls '${dataDir}'`],
    ['the accounts of this machine', () => 'cat /etc/passwd'],
    ['the processes of this machine', () => 'ls /proc/1'],
    ['the root that it came from', () => 'ls /.old'],
  ])('cannot read %s', (_what, script) => {
    const { status, output } = inside(script())
    expect(status).not.toBe(0)
    expect(output).toMatch(/No such file or directory/)
  })

  it.each([
    ['its input', () => `echo changed > '${input}'`],
    ['the system', () => 'touch /usr/changed'],
    ['another folder', () => 'touch /changed'],
  ])('cannot change %s', (_what, script) => {
    expect(inside(script()).status).not.toBe(0)
    expect([readFileSync(input, 'utf8'), existsSync('/usr/changed')]).toEqual(['the input', false])
  })

  it('runs no program from the folder that it writes to', () => {
    expect(inside(`cp /bin/true '${work}/mine' && chmod +x '${work}/mine' && '${work}/mine'`)).toMatchObject({
      status: 126,
      output: expect.stringMatching(/Permission denied/),
    })
  })

  it('mounts nothing and has no network', () => {
    expect(inside(`mount -t tmpfs tmpfs '${work}'`).status).not.toBe(0)
    expect(inside('cat < /dev/tcp/127.0.0.1/1 || ip route 2>/dev/null | grep -c .').output).not.toMatch(/^[1-9]/m)
  })

  it('is ffmpeg as the product runs it, which cannot open another file', async () => {
    const only = { reads: [input], writes: [work] }
    const open = (path: string) => ffmpeg(['-f', 'rawvideo', '-s', '1x1', '-pix_fmt', 'gray', '-i', path, '-f', 'null', '-'], { only })
    await expect(open(input)).resolves.toBeDefined()
    const refused = await open(secret).catch((error: Error) => error)
    expect(refused).toBeInstanceOf(ProgramFailed)
    expect((refused as ProgramFailed).output).toMatch(/No such file or directory/)
  })
})

it('every call of ffmpeg on a file declares the files that it may reach', () => {
  const { stdout } = spawnSync('grep', ['-rlE', "from '.*platform/ffmpeg.ts'|from './ffmpeg.ts'", 'server', '--include=*.ts'], {
    encoding: 'utf8',
  })
  const files = stdout
    .trim()
    .split('\n')
    .filter((path) => !/test\.ts$|server\/testing\/|sample-clip|infra\/cage/.test(path))
  const calls = files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split(/\bawait ffmpeg\(/)
      .slice(1)
      .map((call) => [path, /\bonly\b/.test(call.slice(0, 1_400))]),
  )
  expect(calls.length).toBeGreaterThanOrEqual(4)
  expect(calls.filter(([, said]) => !said)).toEqual([])
})

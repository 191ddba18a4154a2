import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { processesWith } from '../../testing/services/processes.ts'
import { services } from '../container.ts'
import { ffmpeg, ProgramFailed } from './ffmpeg.ts'
import { detectSandbox, missingProtection, sandboxPrefix, WAYS } from './sandbox.ts'

const { dataDir } = await testDatabase()
const detected = services().sandbox
const ways = Object.keys(WAYS) as (keyof typeof WAYS)[]
/** The way that is in use here, and those after it. Containers without user namespaces have none; a line at start reports this. */
const usable = detected.way ? ways.slice(ways.indexOf(detected.way)) : []

let folder: string
let secret: string
let input: string
let work: string
let code: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelgate-cage-'))
  work = mkdtempSync(join(folder, 'work-'))
  code = mkdtempSync(join(folder, 'code-'))
  copyFileSync(realpathSync('/usr/bin/true'), join(code, 'true'))
  input = join(folder, 'input')
  secret = join(dataDir, 'secret')
  writeFileSync(input, 'the input', { mode: 0o600 })
  writeFileSync(secret, 'the root secret', { mode: 0o600 })
  writeFileSync(join(folder, 'other'), 'of another tenant', { mode: 0o600 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reach = () => ({ reads: [input], writes: [work], code: [code] })

/** Runs a shell script where ffmpeg runs. Code that exploits ffmpeg has the same rights. */
function inside(script: string): { status: number | null; output: string } {
  const [command = '', ...words] = [...sandboxPrefix('sh', { reach: reach() }), 'sh', '-c', script]
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** An endless run of ffmpeg that `processesWith` finds by `mark`. */
const endless = (mark: string) => [
  ...['-f', 'lavfi', '-re', '-i', 'testsrc2=size=64x64:rate=5', '-f', 'null', '-progress', 'pipe:1'],
  ...['-metadata', `comment=${mark}`, '-'],
]

describe.each([...usable.map((way) => ({ name: way, way })), { name: 'nothing', way: undefined }])(
  'a program that $name confines',
  ({ name, way }) => {
    beforeAll(() => {
      services().sandbox.way = way
    })
    afterAll(() => {
      services().sandbox.way = detected.way
    })

    it('ends at once when its signal aborts, however far its start is', { tags: ['deep'] }, async () => {
      const mark = `mark-${process.pid}-abort-${name}`
      const endAfter = async (turns: number) => {
        const stop = new AbortController()
        const ended = ffmpeg(endless(mark), { only: reach(), signal: stop.signal, onLine: () => stop.abort() })
        ended.catch(() => {})
        for (let turn = 0; turn < turns; turn++) await readFile(input)
        if (turns < 99) stop.abort()
        await expect(ended).rejects.toThrow(/aborted/)
      }
      for (let turns = 0; turns < 99; turns += 3) await Promise.all([endAfter(turns), endAfter(turns + 1)])
      await endAfter(99)
      expect(await processesWith(mark)).toEqual([])
    })

    it.runIf(detected.leash)('ends with this process, even when that is killed', async () => {
      const mark = `mark-${process.pid}-orphan-${name}`
      const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
      const code = `
      const { readSettings } = await import(${module('../config/config.ts')})
      const { createContainer, setContainer } = await import(${module('../container.ts')})
      const { makeFoundPrograms } = await import(${module('ffmpeg-programs.ts')})
      const { ffmpeg } = await import(${module('ffmpeg.ts')})
      const settings = () => readSettings({ BASE_URL: 'http://localhost' })
      const sandbox = () => (${JSON.stringify(services().sandbox)})
      setContainer(createContainer({ settings, ffmpegPrograms: makeFoundPrograms, sandbox }))
      await ffmpeg(${JSON.stringify(endless(mark))}, { only: ${JSON.stringify(reach())}, onLine: () => process.stdout.write('x') })`
      const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
      await new Promise((resolve) => parent.stdout.once('data', resolve))
      parent.kill('SIGKILL')
      await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]))
    })

    it.runIf(detected.leash)('does not start once the process that computed its prefix has ended', () => {
      const out = join(folder, `started-${name}`)
      const prefix = sandboxPrefix('sh', { reach: { reads: [input], writes: [folder] } })
      const start = (parent: number | undefined) => {
        const ofParent = prefix.map((word) => word.replaceAll(`/proc/${process.pid}/`, `/proc/${parent}/`))
        spawnSync(ofParent[0] as string, [...ofParent.slice(1), 'sh', '-c', `echo started > '${out}'`])
        return existsSync(out)
      }
      expect(start(spawnSync('true').pid)).toBe(false)
      expect(start(process.pid)).toBe(true)
    })
  },
)

describe.each(usable.map((way) => ({ way })))('a program that $way confines', ({ way }) => {
  beforeAll(() => {
    services().sandbox.way = way
  })
  afterAll(() => {
    services().sandbox.way = detected.way
  })

  it('reads its input and writes to its folder', () => {
    expect(inside(`cat '${input}' && echo written > '${work}/out'`)).toEqual({ status: 0, output: 'the input' })
    expect(readFileSync(join(work, 'out'), 'utf8')).toBe('written\n')
  })

  it('runs the code that it is given', () => expect(inside(`'${code}/true'`)).toEqual({ status: 0, output: '' }))

  it.each([
    ['the root secret', () => `cat '${secret}'`],
    ['the files of other tenants', () => `ls '${dataDir}'`],
    ['other files next to its input', () => `ls '${folder}/other'`],
    ['the accounts of this machine', () => 'cat /etc/passwd'],
    ['what other processes do', () => `cat /proc/${process.pid}/cmdline`],
  ])('cannot read %s', (_what, script) => {
    const { status, output } = inside(script())
    expect(status).not.toBe(0)
    expect(output).toMatch(/No such file or directory/)
  })

  it.each([
    ['its input', () => `echo changed > '${input}'`],
    ['the system', () => 'touch /usr/changed'],
    ['its code', () => `touch '${code}/changed'`],
    ['a file outside of its folder', () => `echo changed > '${folder}/other'`],
    ['another folder', () => 'touch /changed'],
  ])('cannot change %s', (_what, script) => {
    expect(inside(script()).status).not.toBe(0)
    expect([readFileSync(input, 'utf8'), readFileSync(join(folder, 'other'), 'utf8')]).toEqual(['the input', 'of another tenant'])
    expect([existsSync('/usr/changed'), existsSync('/changed')]).toEqual([false, false])
  })

  it('signals no other process, and mounts nothing', () => {
    expect(spawnSync('sh', ['-c', `kill -0 ${process.pid}`]).status).toBe(0)
    expect(inside(`kill -0 ${process.pid}`)).toMatchObject({ status: 1, output: expect.stringMatching(/No such process/) })
    expect(inside(`mount -t tmpfs tmpfs '${work}'`).status).not.toBe(0)
  })

  it('opens no connection', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const connect = (only?: ReturnType<typeof reach>) =>
      ffmpeg(['-i', `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, '-f', 'null', '-'], { only }).catch(() => {})
    await connect(reach())
    expect(connections).toBe(0)
    await connect()
    expect(connections).toBe(1)
    server.close()
  })

  it('is ffmpeg as the product runs it, which cannot open another file', async () => {
    const open = (path: string) =>
      ffmpeg(['-f', 'rawvideo', '-s', '1x1', '-pix_fmt', 'gray', '-i', path, '-f', 'null', '-'], { only: reach() })
    await expect(open(input)).resolves.toBeDefined()
    const refused = await open(secret).catch((error: Error) => error)
    expect(refused).toBeInstanceOf(ProgramFailed)
    expect((refused as ProgramFailed).output).toMatch(/No such file or directory/)
  })

  it('reports the signal that ended it, and a missing input as no fault of the file', async () => {
    const program = join(folder, 'crashes')
    writeFileSync(program, '#!/bin/sh\n# No program fits into this stack.\nulimit -s 4; exec true', { mode: 0o755 })
    expect(await ffmpeg(['-version'], { program, only: reach() }).catch((error) => error)).toMatchObject({ crashed: true })
    const gone = { reads: [join(folder, 'gone')], writes: [] }
    const failure = await ffmpeg(['-version'], { only: gone }).catch((error) => error)
    expect(failure).not.toBeInstanceOf(ProgramFailed)
    expect(failure.message).toMatch(/cannot be run: /)
  })
})

describe.runIf(process.platform === 'linux')('where a system lacks the programs', () => {
  const bare = mkdtempSync(join(tmpdir(), 'reelgate-path-'))
  const install = (...names: string[]) => {
    for (const name of names) symlinkSync(realpathSync(`/usr/bin/${name}`), join(bare, name))
  }
  beforeAll(() => {
    vi.stubEnv('PATH', bare)
    install('sh', 'true')
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    services().sandbox = detected
    rmSync(bare, { recursive: true })
  })

  it('says at start what is missing and why', () => {
    services().sandbox = detectSandbox()
    expect(services().sandbox.way).toBeUndefined()
    expect(missingProtection()).toBe(
      'is not fully confined on this system: it can reach this system’s files, network and processes; it keeps running if its ' +
        'worker is killed (bwrap is not installed; setpriv is not installed)',
    )
  })
})

it('every call of ffmpeg on a file declares the files that it may reach', () => {
  const { stdout } = spawnSync('grep', ['-rlE', "from '.*platform/ffmpeg/ffmpeg.ts'|from './ffmpeg.ts'", 'server', '--include=*.ts'], {
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

import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Statuses } from './attacker.ts'
import type { Samples } from './kinds.ts'

const READY = /Reelgate is ready/

/** The service under test: pages, worker and API in one process, as it is installed by default. */
export interface Main {
  /** Returns the bytes of memory that its process holds now. */
  memory(): number
  stop(): Promise<void>
}

/** Starts `server/main.ts`; resolves when it is ready. */
export async function startMain(settings: Record<string, string>): Promise<Main> {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', AV1_AFTER_HOURS: '', ...settings },
  })
  process.on('exit', () => child.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (READY.test(said)) resolve()
    })
    child.once('exit', () => reject(new Error(`the service ended: ${said}`)))
  })
  return { memory: () => memoryOf(child.pid as number), stop: () => ended(child, 'SIGINT') }
}

const memoryOf = (pid: number) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

export interface Attacker {
  /** Resolves at the end of the round with the outcome of its operations. */
  attack(name: string, ms: number): Promise<{ begun: number; statuses: Statuses }>
  stop(): Promise<void>
}

export async function startAttacker(file: string): Promise<Attacker> {
  const { ask, stop } = await startClient('attacker', file)
  return { attack: (name, ms) => ask({ name, ms }), stop }
}

/** Starts a bystander's process. Returns a function that asks it to measure for this many milliseconds. */
export async function startBystander(file: string): Promise<{ measure(ms: number): Promise<Samples>; stop(): Promise<void> }> {
  const { ask, stop } = await startClient('bystander', file)
  return { measure: (ms) => ask({ ms }), stop }
}

/** Starts `lab/abuse/<name>.ts`, which responds to each message with one. */
async function startClient(name: string, file: string) {
  const child = fork(join(import.meta.dirname, `${name}.ts`), [file])
  process.on('exit', () => child.kill('SIGKILL'))
  const answer = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const leave = (code: number | null) => reject(new Error(`the ${name} ended with ${code}`))
      child.once('exit', leave)
      child.once('message', (message) => {
        child.off('exit', leave)
        resolve(message as Message)
      })
    })
  await answer()
  return {
    ask<Message>(question: object): Promise<Message> {
      const answered = answer<Message>()
      child.send(question)
      return answered
    },
    stop: () => ended(child, 'SIGKILL'),
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const end = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await end
}

const VOLUME = 'size=256m,mode=0700'

/** Creates a temporary folder; a small separate volume where this user may mount one. */
export function smallFolder(): { folder: string; isSmall: boolean; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-bench-abuse-'))
  const isSmall = spawnSync('mount', ['-t', 'tmpfs', '-o', VOLUME, 'tmpfs', folder]).status === 0
  const remove = () => {
    if (isSmall) spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, isSmall, remove }
}

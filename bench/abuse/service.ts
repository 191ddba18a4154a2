import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const READY = /Reelgate is ready/

/** Starts `server/main.ts`, pages and worker included; resolves when it is ready. Returns a function that stops it. */
export async function startMain(settings: Record<string, string>): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', QUALITY_RECEIPTS: 'off', AV1: 'never', ...settings },
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
  return () => ended(child, 'SIGINT')
}

/** Starts the attacking process. */
export async function startAttacker(file: string) {
  const child = fork(join(import.meta.dirname, 'attacker.ts'), [file])
  process.on('exit', () => child.kill('SIGKILL'))
  const answer = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const leave = (code: number | null) => reject(new Error(`the attacker ended with ${code}`))
      child.once('exit', leave)
      child.once('message', (message) => {
        child.off('exit', leave)
        resolve(message as Message)
      })
    })
  await answer()
  return {
    /** Resolves at the end of the round with the number of operations that were started. */
    attack(name: string, ms: number) {
      const over = answer<{ begun: number }>()
      child.send({ name, ms })
      return over
    },
    stop: () => ended(child, 'SIGKILL'),
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const end = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await end
}

const VOLUME = 'size=192m,mode=0700'

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

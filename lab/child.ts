import { fork, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A server under measurement in a separate process. */
export interface Child {
  url: string
  /** Sends the child a request; it responds with one message. */
  ask<Answer>(question: string): Promise<Answer>
  stop(): Promise<void>
}

const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0

/**
 * Starts `lab/servers/<name>.ts` with `options`, on the first core where the system can pin, or as an operator runs it on `everyCore`;
 * resolves when it reports its address.
 */
export async function startChild(name: string, options: Record<string, unknown> = {}, { everyCore = false } = {}): Promise<Child> {
  const script = join(import.meta.dirname, 'servers', `${name}.ts`)
  // In a file: a recorded response can be longer than a command line may be.
  const file = join(mkdtempSync(join(tmpdir(), 'reelgate-bench-')), 'options.json')
  writeFileSync(file, JSON.stringify(options))
  const pinned = canPin && !everyCore
  const child = fork(script, [file], {
    execPath: pinned ? 'taskset' : process.execPath,
    execArgv: pinned ? ['-c', '0', process.execPath, '--expose-gc'] : ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  // An aborted benchmark must not leave its servers running.
  process.on('exit', () => child.kill('SIGKILL'))
  const answer = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const fail = (code: number | null) => reject(new Error(`${name} ended with ${code}`))
      child.once('exit', fail)
      child.once('message', (message) => {
        child.off('exit', fail)
        resolve(message as Message)
      })
    })
  const { url } = await answer<{ url: string }>()
  return {
    url,
    ask<Answer>(question: string) {
      const wanted = answer<Answer>()
      child.send(question)
      return wanted
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

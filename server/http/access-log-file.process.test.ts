import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const file = join(import.meta.dirname, 'access-log.ts')

/** Two processes share one pipe, as web processes share standard output: 4,000 lines each, then they end. */
test('lines of several processes arrive whole, the last ones included', async () => {
  const program = `
    const { flushAccessLog, makeAccessLogFile } = await import(${JSON.stringify(file)})
    const log = makeAccessLogFile()
    for (let count = 0; count < 4_000; count++) {
      log.write(JSON.stringify({ pid: process.pid, count, text: 'x'.repeat(count % 700) }) + '\\n')
      if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await flushAccessLog(log)
    process.exit()`
  const run = `for one in 1 2; do "$0" --input-type=module --eval "$1" & done; wait`
  const shell = spawn('sh', ['-c', run, process.execPath, program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const text = (await shell.stdout.setEncoding('utf8').toArray()).join('')
  if (shell.exitCode === null) await once(shell, 'exit')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { pid: number; count: number })
  const byProcess = Map.groupBy(lines, ({ pid }) => pid)
  const counts = Array.from({ length: 4_000 }, (_, count) => count)
  expect([...byProcess.values()].map((one) => one.map(({ count }) => count))).toEqual([counts, counts])
})

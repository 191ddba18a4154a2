import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest'
import { captureLogs, isUnexpected, type LogLine, takeLines } from './logs.ts'
import { endFile } from './media/file-end.ts'
import { resetContainer } from './settings.ts'
import { watchForStuck } from './stuck.ts'

/**
 * Runs before each test file. Files of some tiers share a process, so each file gets its own container and none of another file's mocks,
 * and its log is captured. At the start of a file, not at its end, where cleanup in its hooks still uses its container.
 */
// A file's hooks do not run if all its tests are skipped.
await endFile()
resetContainer()
vi.useRealTimers()
vi.restoreAllMocks()
vi.unstubAllEnvs()
vi.unstubAllGlobals()
captureLogs()
// As `expect.poll` in the configuration: one second, its default, is too short for a slow machine.
const { waitFor } = vi
vi.waitFor = (callback, options) => waitFor(callback, typeof options === 'number' ? options : { timeout: 60_000, ...options })

let endWatch = () => {}
beforeEach(({ task }) => {
  const title = `“${task.name}” (${task.file.name}) is still running. It may wait for:`
  endWatch = watchForStuck(task.timeout, (lines) => process.stderr.write(`${[title, ...lines].join('\n  ')}\n`))
})

afterEach(({ task }) => {
  endWatch()
  const lines = takeLines()
  if (task.result?.state === 'fail') print(`Log of the failed test “${task.name}” (${task.file.name})`, lines)
  else print(`Unexpected errors in the log of “${task.name}” (${task.file.name})`, lines.filter(isUnexpected))
})

afterAll(async () => {
  await endFile().finally(() => print(`Unexpected errors in the log of ${expect.getState().testPath}`, takeLines().filter(isUnexpected)))
})

/** Writes to the terminal: output of a passed test through `console` is not printed. */
function print(title: string, lines: LogLine[]): void {
  if (lines.length > 0) process.stderr.write(`${title}\n${lines.map((line) => `  ${JSON.stringify(line).slice(0, 2_000)}\n`).join('')}`)
}

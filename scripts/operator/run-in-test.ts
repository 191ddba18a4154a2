import { runOperator } from './run.ts'

/** The end of a command: its exit code, and what it printed. */
export interface Ended {
  code: number
  out: string
  err: string
}

/**
 * Runs a command of `npm run operator` in the test's process, on the test file's database. A process of its own takes a second of processor
 * time; the tests of the command's start use one.
 */
export async function operator(...typed: string[]): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []]
  const output = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
  const code = await runOperator(typed, output, async (command, parsed, print) => (await command.run(parsed, print)) ?? 0)
  return { code, out: out.join(''), err: err.join('') }
}

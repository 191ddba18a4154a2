import '../../server/platform/text/schema-messages.ts'
import { CommanderError } from 'commander'
import { ZodError } from 'zod'
import { makeCli } from './cli.ts'
import type { Command, ParsedArgs } from './command.ts'
import { COMMANDS } from './commands.ts'

/** Exit codes: 0 success, 1 failure (or a check with findings), 2 invalid usage. */
const [FAILED, MISUSED] = [1, 2]

/** Where a command prints: text with line ends, to standard output and standard error. */
export interface Output {
  out: (text: string) => void
  err: (text: string) => void
}

/** Runs a command whose arguments are valid. Returns its exit code. */
export type RunCommand = (command: Command, parsed: ParsedArgs, print: (line: string) => void) => Promise<number>

/** Runs what was typed after `npm run operator --`. Returns the exit code; errors are printed. */
export async function runOperator(typed: readonly string[], { out, err }: Output, run: RunCommand): Promise<number> {
  let code = 0
  const cli = makeCli(
    COMMANDS,
    async (command, parsed) => {
      code = await run(command, parsed, (line) => out(`${line}\n`))
    },
    { out, err },
  )
  try {
    if (typed.length > 0) {
      await cli.parseAsync(typed, { from: 'user' })
      return code
    }
    cli.outputHelp()
    return MISUSED
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    err(`${error instanceof ZodError ? error.issues.map(({ message }) => message).join('\n') : (error as Error).message}\n`)
    return FAILED
  }
}

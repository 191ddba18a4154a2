/** What was typed after a command's name. */
export interface ParsedArgs {
  /** Arguments, by the names in `takes`. */
  args: Record<string, string>
  options: Record<string, string | boolean | undefined>
}

interface CommandOption {
  type: 'string' | 'boolean'
  description: string
  required?: true
  /** Names of options that cannot be given with it. */
  conflicts?: readonly string[]
}

/** One command of `npm run operator`. */
export interface Command {
  /** One word, or its group's and its own, as in `media scrub`. */
  name: string
  /** Names of its arguments, in order; all are required. */
  takes?: readonly string[]
  options?: Record<string, CommandOption>
  /** One sentence. */
  description: string
  /** If undefined, it always requires the database. */
  needsDatabase?: (parsed: ParsedArgs) => boolean
  /** Runs the command and may return an exit code. A thrown error's message is shown, and the command exits with 1. */
  run: (parsed: ParsedArgs, print: (line: string) => void) => Promise<number | undefined>
}

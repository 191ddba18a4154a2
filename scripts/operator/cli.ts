import { parseArgs } from 'node:util'
import type { Command, ParsedArgs } from './commands.ts'

/** The input is not a valid command; the message describes what is. */
export class UsageError extends Error {}

export const isAskingForHelp = (word: string) => word === '--help' || word === '-h' || word === 'help'

/**
 * Parses the words after a command's name: its arguments by name, and its options. Errors: UsageError with the command's usage when one is
 * missing, unknown, or too many.
 */
export function read(command: Command, words: string[]): ParsedArgs {
  const { takes = [], options = {} } = command
  const wrong = (problem: string) => new UsageError(`${problem}\n\n${usageOf(command)}`)
  const parse = () => {
    try {
      return parseArgs({ args: words, allowPositionals: true, options: mapValues(options, ({ type }) => ({ type })) })
    } catch (error) {
      throw wrong((error as Error).message.split('. To specify')[0] as string)
    }
  }
  const { positionals, values } = parse()
  const missing = takes.slice(positionals.length).map((name) => name.toUpperCase())
  if (missing.length > 0) throw wrong(`Missing: ${missing.join(' ')}.`)
  if (positionals.length > takes.length) throw wrong(`Too many words: ${positionals.slice(takes.length).join(' ')}.`)
  for (const [name, { required }] of Object.entries(options)) if (required && !values[name]) throw wrong(`Missing: --${name}.`)
  return { args: Object.fromEntries(takes.map((name, at) => [name, positionals[at] as string])), options: values as ParsedArgs['options'] }
}

const mapValues = <In, Out>(record: Record<string, In>, change: (value: In) => Out) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

/** Lists every command, a line each. */
export function usage(commands: readonly Command[]): string {
  const lines = commands.map((command) => [line(command), command.words] as const)
  const width = Math.max(...lines.map(([left]) => left.length))
  return [
    'npm run operator -- <command> …',
    '',
    ...lines.map(([left, words]) => `  ${left.padEnd(width)}   ${words}`),
    '',
    'It works on DATABASE_URL, or else on the embedded database in DATA_DIR, also while the server runs.',
    '`npm run operator -- <command> --help` says more of one.',
  ].join('\n')
}

/** Describes one command with its options. */
export function usageOf(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(([name, { type, words }]) => [`--${name}${VALUE[type]}`, words] as const)
  const width = Math.max(0, ...options.map(([left]) => left.length))
  return [
    `npm run operator -- ${line(command)}`,
    `  ${command.words}`,
    ...options.map(([left, words]) => `    ${left.padEnd(width)}   ${words}`),
  ].join('\n')
}

const VALUE = { string: ' …', boolean: '' } as const

function line({ name, takes = [], options = {} }: Command): string {
  const named = Object.entries(options).map(([option, { type, required }]) => {
    const text = `--${option}${type === 'string' ? ` ${option.toUpperCase()}` : ''}`
    return required ? text : `[${text}]`
  })
  return [name, ...takes.map((take) => take.toUpperCase()), ...named].join(' ')
}

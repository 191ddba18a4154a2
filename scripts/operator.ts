import { existsSync } from 'node:fs'
import { ZodError } from 'zod'
import { buildContainer } from '../server/services.ts'
import { COMMANDS, type Command } from './operator/commands.ts'
import { withDatabase } from './operator/database.ts'
import { isAskingForHelp, read, UsageError, usage, usageOf } from './operator/words.ts'

/** Exit codes: 0 success, 1 failure (or a check with findings), 2 invalid usage. */
const [FAILED, MISUSED] = [1, 2]

const say = (line: string) => void process.stdout.write(`${line}\n`)
const complain = (line: string) => void process.stderr.write(`${line}\n`)

async function operator([name, ...words]: string[]): Promise<number> {
  if (name === undefined || isAskingForHelp(name)) {
    const about = name === 'help' && words[0] !== undefined ? find(words[0]) : undefined
    say(about ? usageOf(about) : usage(COMMANDS))
    return name === undefined ? MISUSED : 0
  }
  const command = find(name)
  if (words.some(isAskingForHelp)) {
    say(usageOf(command))
    return 0
  }
  const given = read(command, words)
  if (existsSync('.env')) process.loadEnvFile('.env')
  buildContainer({ LOG_LEVEL: 'error' })
  const work = async () => (await command.run(given, say)) ?? 0
  return command.needsDatabase && !command.needsDatabase(given) ? work() : withDatabase(work)
}

function find(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name)
  if (!command) throw new UsageError(`There is no command “${name}”.\n\n${usage(COMMANDS)}`)
  return command
}

try {
  process.exitCode = await operator(process.argv.slice(2))
} catch (error) {
  complain(error instanceof ZodError ? error.issues.map(({ message }) => message).join('\n') : (error as Error).message)
  process.exitCode = error instanceof UsageError ? MISUSED : FAILED
}
// The channel to the parent command must not keep this process running.
if (process.connected) process.disconnect()

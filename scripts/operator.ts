import { existsSync } from 'node:fs'
import { CommanderError } from 'commander'
import { ZodError } from 'zod'
import { buildContainer } from '../server/services.ts'
import { makeCli } from './operator/cli.ts'
import { COMMANDS } from './operator/commands.ts'
import { withDatabase } from './operator/database.ts'

/** Exit codes: 0 success, 1 failure (or a check with findings), 2 invalid usage. */
const [FAILED, MISUSED] = [1, 2]

const print = (line: string) => void process.stdout.write(`${line}\n`)
const complain = (line: string) => void process.stderr.write(`${line}\n`)

const cli = makeCli(COMMANDS, async (command, parsed) => {
  if (existsSync('.env')) process.loadEnvFile('.env')
  buildContainer({ LOG_LEVEL: 'error' })
  const work = async () => (await command.run(parsed, print)) ?? 0
  process.exitCode = await (command.needsDatabase && !command.needsDatabase(parsed) ? work() : withDatabase(work))
})

const typed = process.argv.slice(2)
try {
  if (typed.length > 0) await cli.parseAsync(typed, { from: 'user' })
  else {
    process.exitCode = MISUSED
    cli.outputHelp()
  }
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : MISUSED
  else {
    complain(error instanceof ZodError ? error.issues.map(({ message }) => message).join('\n') : (error as Error).message)
    process.exitCode = FAILED
  }
}
// The channel to the parent command must not keep this process running.
if (process.connected) process.disconnect()

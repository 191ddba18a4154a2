import { loadEnvFile } from '../server/platform/config/config.ts'
import { buildContainer } from '../server/services.ts'
import { withDatabase } from './operator/database.ts'
import { runOperator } from './operator/run.ts'

const output = { out: (text: string) => void process.stdout.write(text), err: (text: string) => void process.stderr.write(text) }

process.exitCode = await runOperator(process.argv.slice(2), output, async (command, parsed, print) => {
  loadEnvFile()
  buildContainer({ LOG_LEVEL: 'error' })
  const work = async () => (await command.run(parsed, print)) ?? 0
  return command.needsDatabase && !command.needsDatabase(parsed) ? work() : withDatabase(work)
})
// The channel to the parent command must not keep this process running.
if (process.connected) process.disconnect()

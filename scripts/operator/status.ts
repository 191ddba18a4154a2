import { operatorLog } from '../../server/modules/operator/log.ts'
import { operatorCommand } from '../../server/modules/operator/operator.ts'
import { operatorLogInput } from '../../server/modules/operator/schema.ts'
import { settingsInForce } from '../../server/modules/operator/settings-in-force.ts'
import { installationStatus } from '../../server/modules/operator/status.ts'
import { operatorActionDescription } from '../../server/operator-actions.ts'
import type { Command } from './command.ts'

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
const minute = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

export const status: Command = {
  name: 'status',
  description: 'Prints the state of the installation and what needs the operator. Exit code 1: something serious does.',
  options: { json: { type: 'boolean', description: 'Prints one JSON document.' } },
  async run({ options }, print) {
    const { warnings, ...found } = await installationStatus(operatorCommand())
    const code = warnings.some(({ level }) => level === 'bad') ? 1 : 0
    if (options.json) {
      print(JSON.stringify({ warnings, ...found }))
      return code
    }
    const { version, processes, queue, storage, database, backups, limits } = found
    print(`Version ${version}`)
    for (const { host, pid, roles, version: own, isSilent } of processes)
      print(`  process   ${host}:${pid}  ${roles.join(',')}  ${own}${isSilent ? '  NO HEARTBEAT' : ''}`)
    print(`  queue     ${queue.videos.due} videos wait, ${queue.videos.running} run; ${queue.webhooks.pending} deliveries pending`)
    for (const { name, waiting, failed } of queue.jobs) print(`  jobs      ${name}: ${waiting} wait, ${failed} failed in 24 hours`)
    print(
      `  media     ${storage.media.name}: ${storage.stored.videos} videos, ${gigabytes(storage.stored.originals + storage.stored.renditions)}`,
    )
    for (const { volume, bytes } of storage.free) print(`  disk      ${volume}: ${gigabytes(bytes)} free`)
    print(
      `  database  PostgreSQL ${database.version}, ${gigabytes(database.size)}, ${database.connections} of ${database.maxConnections} connections`,
    )
    print(`  backups   ${backups.lastProven ? `last proven: ${minute(backups.lastProven)}` : 'none is proven'}`)
    print(`  sign-up   ${[found.signUp.mode, ...found.signUp.domains].join(' ')}`)
    for (const { setting, value, used } of limits.filter((limit) => limit.used !== null))
      print(`  limit     ${setting}: ${used} of ${value ?? 'no limit'}`)
    for (const { level, title, detail, steps } of warnings) {
      print(`${level === 'bad' ? 'SERIOUS' : 'WARNING'}  ${title}. ${detail}`)
      for (const step of steps) print(`  - ${step}`)
    }
    if (warnings.length === 0) print('Nothing needs you.')
    return code
  },
}

export const printSettings: Command = {
  name: 'settings',
  description: 'Prints every setting in force in this environment and its source. The value of a secret is not printed.',
  async run(_parsed, print) {
    for (const { name, source, value, isSecret, isSet } of await settingsInForce(operatorCommand()))
      print(`${name}=${isSecret ? (isSet ? '(set)' : '(unset)') : (value ?? '(unset)')}  # ${source}`)
    return 0
  },
}

export const printLog: Command = {
  name: 'operator-log',
  description: 'Prints the newest changes by operators and the notes of support staff.',
  options: { before: { type: 'string', description: 'Continues before this entry.' } },
  async run({ options }, print) {
    const { entries, nextCursor } = await operatorLog(operatorCommand(), operatorLogInput.parse({ cursor: options.before }))
    for (const { id, at, by, action, subject, before, after } of entries)
      print(
        `${id}  ${minute(at)}  ${by ?? 'command'} ${operatorActionDescription(action)}: ${subject}  ${JSON.stringify(after ?? before ?? {})}`,
      )
    if (nextCursor) print(`Earlier ones: npm run operator -- operator-log --before ${nextCursor}`)
    return 0
  },
}

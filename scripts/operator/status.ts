import { installationRenditions } from '../../server/modules/backoffice/operator/installation-status.ts'
import { operatorCommand, operatorLog } from '../../server/modules/backoffice/operator/roles.ts'
import { operatorLogInput } from '../../server/modules/backoffice/operator/schema.ts'
import { settingsInForce } from '../../server/modules/backoffice/operator/settings-in-force.ts'
import { installationStatus } from '../../server/modules/backoffice/operator/status.ts'
import { installationTrends } from '../../server/modules/backoffice/operator/trends.ts'
import { operatorActionDescription } from '../../server/operator-actions.ts'
import type { Command } from './command.ts'
import { minute, renditionsText, statusText, trendsText } from './status-text.ts'

export const status: Command = {
  name: 'status',
  description: 'Prints the state of the installation and what needs your attention. Exits with 1 if something serious does.',
  options: { json: { type: 'boolean', description: 'Prints one JSON document.' } },
  async run({ options }, print) {
    const { warnings, ...found } = await installationStatus(operatorCommand())
    const code = warnings.some(({ level }) => level === 'bad') ? 1 : 0
    if (options.json) {
      print(JSON.stringify({ warnings, ...found }))
      return code
    }
    for (const line of statusText({ warnings, ...found })) print(line)
    return code
  },
}

export const printTrends: Command = {
  name: 'trends',
  description: 'Prints requests, errors, failed transcodes, waits for a worker and stored media of the last 30 days, by UTC day.',
  options: { json: { type: 'boolean', description: 'Prints one JSON document, with sizes in bytes and durations in seconds.' } },
  async run({ options }, print) {
    const days = await installationTrends(operatorCommand())
    if (options.json) print(JSON.stringify(days))
    else for (const line of trendsText(days)) print(line)
    return 0
  },
}

export const printRenditions: Command = {
  name: 'renditions',
  description: 'Prints what is stored and what was delivered in 30 days, by rendition and codec, and what AV1 saved.',
  options: { json: { type: 'boolean', description: 'Prints one JSON document, with sizes in bytes.' } },
  async run({ options }, print) {
    const found = await installationRenditions(operatorCommand())
    if (options.json) print(JSON.stringify(found))
    else for (const line of renditionsText(found)) print(line)
    return 0
  },
}

export const printSettings: Command = {
  name: 'settings',
  description: 'Prints every setting in this environment and where it comes from. Never prints the value of a secret.',
  async run(_parsed, print) {
    for (const { name, source, value, isSecret, isSet } of await settingsInForce(operatorCommand()))
      print(`${name}=${isSecret ? (isSet ? '(set)' : '(unset)') : (value ?? '(unset)')}  # ${source}`)
    return 0
  },
}

export const printLog: Command = {
  name: 'operator-log',
  description: 'Prints the latest changes by operators and notes by support.',
  options: { before: { type: 'string', description: 'Only entries before this one.' } },
  async run({ options }, print) {
    const { entries, nextCursor } = await operatorLog(operatorCommand(), operatorLogInput.parse({ cursor: options.before }))
    for (const { id, at, by, action, subject, before, after } of entries)
      print(
        `${id}  ${minute(at)}  ${by ?? 'command'} ${operatorActionDescription(action)}: ${subject}  ${JSON.stringify(after ?? before ?? {})}`,
      )
    if (nextCursor) print(`Earlier entries: npm run operator -- operator-log --before ${nextCursor}`)
    return 0
  },
}

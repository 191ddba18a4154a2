import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { settings } from '../server/platform/config.ts'

export const ENV_EXAMPLE = join(import.meta.dirname, '../.env.example')

const HEADER = [
  'Every setting of Reelgate with its default. Nothing here has to be set.',
  'Copy this file to .env, or set the variables; what is set in the environment wins.',
  'Written by `npm run env-example` from the table in server/platform/config.ts.',
]

/** Returns the text of `.env.example`: each setting's reason and default, commented out. */
export function envExample(): string {
  const blocks = Object.entries(settings).map(([name, { schema, say }]) => [...wrap(say), `# ${name}=${shownDefault(schema, say)}`])
  return `${[HEADER, ...blocks].map((lines, at) => (at === 0 ? lines.map((line) => `# ${line}`) : lines).join('\n')).join('\n\n')}\n`
}

/** Returns a setting's default; one that depends on the machine is described in words ("Unset: …"). */
function shownDefault(schema: z.ZodType, say: string): string {
  if (say.includes('Unset:')) return ''
  const { default: value } = z.toJSONSchema(schema, { io: 'input' })
  return value === undefined ? '' : String(value)
}

function wrap(text: string): string[] {
  const lines = ['#']
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > 100) lines.push('#')
    lines[lines.length - 1] += ` ${word}`
  }
  return lines
}

if (import.meta.main) writeFileSync(ENV_EXAMPLE, envExample())

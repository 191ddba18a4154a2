import { readFileSync } from 'node:fs'
import { join } from 'node:path'

let known: string | undefined

/** Returns the version of this build, as in package.json. */
export function version(): string {
  const file = join(import.meta.dirname, '../../../package.json')
  known ??= (JSON.parse(readFileSync(/* turbopackIgnore: true */ file, 'utf8')) as { version: string }).version
  return known
}

const numbers = (text: string) => text.split(/[.+-]/).slice(0, 3).map(Number)

/** Returns whether version `one` precedes version `other`. Pre-releases count as their release. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [numbers(one), numbers(other)]
  const differs = left.findIndex((number, at) => number !== right[at])
  return differs >= 0 && (left[differs] as number) < (right[differs] ?? 0)
}

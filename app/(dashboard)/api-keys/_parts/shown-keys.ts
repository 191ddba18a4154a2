import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { foldCase } from '#server/platform/text/fold-case'
import { isConsoleKey } from '../../../_parts/console-keys'
import { stillWorking } from '../../_parts/keys/rotations'

export type Kind = 'ALL' | 'LIVE' | 'TEST'
export const KINDS: { value: Kind; label: string }[] = [
  { value: 'ALL', label: 'All' },
  { value: 'LIVE', label: 'Live' },
  { value: 'TEST', label: 'Test' },
]

export type Sort = 'newest' | 'name' | 'used' | 'busiest' | 'quota'
export const SORTS: { value: Sort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'name', label: 'Name' },
  { value: 'used', label: 'Recently used' },
  { value: 'busiest', label: 'Busiest today' },
  { value: 'quota', label: 'Least quota remaining' },
]

const COMPARE: Record<Sort, (a: ListedKey, b: ListedKey) => number> = {
  newest: (a, b) => b.createdAt.getTime() - a.createdAt.getTime(),
  name: (a, b) => a.name.localeCompare(b.name, 'en', { sensitivity: 'base', numeric: true }),
  used: (a, b) => (b.lastUsedAt?.getTime() ?? 0) - (a.lastUsedAt?.getTime() ?? 0),
  busiest: (a, b) => b.today.requests - a.today.requests,
  quota: (a, b) => left(a) - left(b),
}

const left = ({ today, dailyQuota }: ListedKey) => (dailyQuota > 0 ? 1 - today.counted / dailyQuota : 0)
const isOver = (key: ListedKey) => (key.state === 'REVOKED' || key.state === 'EXPIRED') && stillWorking(key).length === 0

/** Returns the keys without those that a console of the docs made and left: they are gone after 15 minutes at most. */
export const withoutConsoleKeys = (keys: ListedKey[]) => keys.filter((key) => !(isOver(key) && isConsoleKey(key)))

/** Returns the matching keys in the chosen order; ended keys are last in every order. */
export function shownKeys(keys: ListedKey[], { search, sort, kind }: { search: string; sort: Sort; kind: Kind }): ListedKey[] {
  const wanted = foldCase(search.trim())
  // A user may paste a whole key: only its prefix is stored.
  const matches = ({ name, prefix, id, scopes, rotations }: ListedKey) => {
    const prefixes = [prefix, ...rotations.map((one) => one.prefix)]
    const texts = [name, id, ...scopes, ...prefixes, ...rotations.map((one) => one.id)]
    return texts.some((text) => foldCase(text).includes(wanted)) || prefixes.some((one) => wanted.startsWith(foldCase(one)))
  }
  return keys
    .filter((key) => (kind === 'ALL' || key.environment === kind) && matches(key))
    .sort((a, b) => Number(isOver(a)) - Number(isOver(b)) || COMPARE[sort](a, b))
}

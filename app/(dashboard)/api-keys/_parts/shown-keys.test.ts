import { expect, test } from 'vitest'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { type Sort, shownKeys, withoutConsoleKeys } from './shown-keys'

const key = (name: string, fields: Partial<ListedKey> = {}): ListedKey => ({
  id: `key_${name}`,
  name,
  environment: 'LIVE',
  prefix: `ak_live_${name.slice(0, 4)}`,
  scopes: ['video:read'],
  state: 'ACTIVE',
  createdAt: new Date(0),
  createdBy: null,
  requestCount: 0,
  today: { requests: 0, issued: 0, refused: 0, counted: 0 },
  dailyQuota: 1_000,
  exhaustedAt: null,
  held: null,
  lastUsedAt: null,
  revokedAt: null,
  expiresAt: null,
  disabledAt: null,
  disabledBy: null,
  allowedIps: [],
  rotations: [],
  ...fields,
})
const today = (requests: number, issued: number) => ({ requests, issued, refused: 0, counted: issued })
const KEYS = [
  key('Alpha', { createdAt: new Date(1), lastUsedAt: new Date(9), today: today(5, 500) }),
  key('beta 10', { createdAt: new Date(3), environment: 'TEST', prefix: 'ak_test_beta', today: today(9, 0) }),
  key('beta 9', { createdAt: new Date(2), lastUsedAt: new Date(5), today: today(1, 900), dailyQuota: 1_000 }),
  key('Gone', { createdAt: new Date(4), state: 'REVOKED', scopes: ['billing:read'], today: today(50, 1_000) }),
]
const names = (search: string, sort: Sort, kind: 'ALL' | 'LIVE' | 'TEST' = 'ALL') =>
  shownKeys([...KEYS], { search, sort, kind }).map(({ name }) => name)

test.each<[Sort, string[]]>([
  ['newest', ['beta 10', 'beta 9', 'Alpha', 'Gone']],
  ['name', ['Alpha', 'beta 9', 'beta 10', 'Gone']],
  ['used', ['Alpha', 'beta 9', 'beta 10', 'Gone']],
  ['busiest', ['beta 10', 'Alpha', 'beta 9', 'Gone']],
  ['quota', ['beta 9', 'Alpha', 'beta 10', 'Gone']],
])('sorted by %s, ended keys are last', (sort, expected) => {
  expect(names('', sort)).toEqual(expected)
})

test.each<[string, string[]]>([
  ['BETA', ['beta 9', 'beta 10']],
  [' ak_live_Alph ', ['Alpha']],
  ['ak_test_beta4567890123456789012345678901', ['beta 10']],
  ['billing', ['Gone']],
  ['key_Gone', ['Gone']],
  ['nothing like it', []],
])('a search for “%s”', (search, expected) => {
  expect(names(search, 'name')).toEqual(expected)
})

test('filters by one kind', () => {
  expect(names('', 'name', 'TEST')).toEqual(['beta 10'])
  expect(names('', 'name', 'LIVE')).toEqual(['Alpha', 'beta 9', 'Gone'])
})

test('keys of the docs console are listed while they work', () => {
  const name = 'Docs console, video:read'
  const [working, revoked, expired] = (['ACTIVE', 'REVOKED', 'EXPIRED'] as const).map((state) => key(name, { environment: 'TEST', state }))
  const live = key(name, { state: 'REVOKED' })
  expect(withoutConsoleKeys([working, revoked, expired, live] as ListedKey[])).toEqual([working, live])
})

import { expect, it } from 'vitest'
import { canBecome, comesFrom, TRANSITIONS, type VideoStatus } from './state.ts'

const ALL = Object.keys(TRANSITIONS) as VideoStatus[]

it('every status is in the table, and each can be reached but the first from nothing', () => {
  expect(ALL.sort()).toEqual(['COMPLETED', 'FAILED', 'PENDING', 'PROCESSING'])
})

it.each<[VideoStatus, VideoStatus[]]>([
  ['PENDING', ['PROCESSING']],
  ['PROCESSING', ['COMPLETED', 'FAILED', 'PENDING']],
  ['COMPLETED', []],
  ['FAILED', ['PENDING']],
])('from %s only %j can follow', (from, allowed) => {
  expect(ALL.filter((to) => canBecome(from, to)).sort()).toEqual([...allowed].sort())
})

it('says where a status comes from', () => {
  expect(comesFrom('COMPLETED')).toEqual(['PROCESSING'])
  expect(comesFrom('PENDING').sort()).toEqual(['FAILED', 'PROCESSING'])
})

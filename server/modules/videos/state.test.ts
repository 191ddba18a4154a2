import { expect, it } from 'vitest'
import { canBecome, TRANSITIONS, type VideoStatus } from './state.ts'

const ALL = Object.keys(TRANSITIONS) as VideoStatus[]

it('TRANSITIONS has every status, and each but the first can be reached', () => {
  expect(ALL.sort()).toEqual(['COMPLETED', 'FAILED', 'PENDING', 'PROCESSING'])
})

it.each<[VideoStatus, VideoStatus[]]>([
  ['PENDING', ['PROCESSING']],
  ['PROCESSING', ['COMPLETED', 'FAILED', 'PENDING']],
  ['COMPLETED', []],
  ['FAILED', ['PENDING', 'COMPLETED']],
])('canBecome permits from %s only %j', (from, allowed) => {
  expect(ALL.filter((to) => canBecome(from, to)).sort()).toEqual([...allowed].sort())
})

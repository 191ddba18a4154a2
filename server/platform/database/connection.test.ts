import { expect, test } from 'vitest'
import { connectionTo } from './connection.ts'

const OWN =
  '-c TimeZone=UTC -c DateStyle=ISO -c standard_conforming_strings=on -c default_transaction_isolation=read\\ committed -c search_path=public'

test('a session uses UTC and ISO dates, whatever else its URL sets', () => {
  expect(connectionTo('postgresql://it:secret@db/reelgate?sslmode=require')).toEqual({
    connectionString: 'postgresql://it:secret@db/reelgate?sslmode=require',
    options: OWN,
  })
  const options = encodeURIComponent('-c search_path=reelgate -c TimeZone=Asia/Kolkata')
  expect(connectionTo(`postgresql://it:secret@db/reelgate?options=${options}&sslmode=require`)).toEqual({
    connectionString: 'postgresql://it:secret@db/reelgate?sslmode=require',
    options: `-c search_path=reelgate -c TimeZone=Asia/Kolkata ${OWN}`,
  })
})

test('a pooler is given only what it passes on', () => {
  expect(connectionTo('postgresql://it@db/reelgate', { pooled: true }).options).toBe(
    '-c TimeZone=UTC -c DateStyle=ISO -c standard_conforming_strings=on',
  )
})

test('with several hosts, sessions of each use UTC', () => {
  expect(connectionTo('postgresql://it@one,two/reelgate?options=-c%20work_mem%3D8MB')).toMatchObject({
    connectionString: 'postgresql://it@one/reelgate?',
    options: `-c work_mem=8MB ${OWN}`,
  })
})

import { expect, test } from 'vitest'
import { connectionTo } from './connection.ts'

test('a session uses UTC and ISO dates, whatever else its URL sets', () => {
  expect(connectionTo('postgresql://it:secret@db/reelgate?sslmode=require')).toEqual({
    connectionString: 'postgresql://it:secret@db/reelgate?sslmode=require',
    options: '-c TimeZone=UTC -c DateStyle=ISO',
  })
  const options = encodeURIComponent('-c search_path=reelgate -c TimeZone=Asia/Kolkata')
  expect(connectionTo(`postgresql://it:secret@db/reelgate?options=${options}&sslmode=require`)).toEqual({
    connectionString: 'postgresql://it:secret@db/reelgate?sslmode=require',
    options: '-c search_path=reelgate -c TimeZone=Asia/Kolkata -c TimeZone=UTC -c DateStyle=ISO',
  })
})

test('with several hosts, sessions of each use UTC', () => {
  expect(connectionTo('postgresql://it@one,two/reelgate?options=-c%20work_mem%3D8MB')).toMatchObject({
    connectionString: 'postgresql://it@one/reelgate?',
    options: '-c work_mem=8MB -c TimeZone=UTC -c DateStyle=ISO',
  })
})

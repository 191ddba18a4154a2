import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { settled } from './server.ts'

const dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'reelgate-pid-'))
const dir = join(dataDir, 'postgres')
const file = join(dir, 'postmaster.pid')
const start = () => startEmbeddedPostgres({ dataDir, durable: false })
const writeLongAgo = (content: string) => {
  writeFileSync(file, content)
  utimesSync(file, 0, 0)
}
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

async function rows(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query('SELECT what FROM kept')).rows
  } finally {
    await client.end()
  }
}

it('a cluster starts with its data after a power cut has damaged its pid file', async () => {
  const first = await start()
  const client = new pg.Client({ connectionString: first.superuserUrl })
  await client.connect()
  await client.query("CREATE TABLE kept AS SELECT 'it' AS what")
  await client.end()
  await first.stop()
  const damaged = {
    empty: '',
    blank: '\n\n',
    zeros: '\0'.repeat(60),
    words: `pid\n${dir}\n`,
    'no pid': `0\n${dir}\n`,
    'cut after the pid': '99999',
    'cut after the pid of another program': String(process.pid),
    'of a session of its own': `-${process.pid}\n${dir}\n`,
  }
  for (const [name, content] of Object.entries(damaged)) {
    writeLongAgo(content)
    const server = await start()
    expect([name, await rows(server.superuserUrl)]).toEqual([name, [{ what: 'it' }]])
    await server.stop()
  }
})

describe('a damaged pid file', () => {
  it('is kept while the server runs, and the refusal names the process', async () => {
    const server = await start()
    const complete = readFileSync(file, 'utf8')
    try {
      writeLongAgo('')
      await expect(start()).rejects.toThrow(
        /PostgreSQL runs on .* \(process \d+\), but its file postmaster\.pid is damaged\. Stop that process/,
      )
      expect(readFileSync(file, 'utf8')).toBe('')
    } finally {
      writeFileSync(file, complete)
      await server.stop()
    }
  })

  it('is kept while a child of a killed server still runs in the folder', async () => {
    const child = spawn('sleep', ['600'], { cwd: dir, stdio: 'ignore' })
    await once(child, 'spawn')
    try {
      writeLongAgo('')
      await expect(settled({ dir })).rejects.toThrow(`(process ${child.pid})`)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(await settled({ dir })).toBeUndefined()
    expect(existsSync(file)).toBe(false)
  })

  it('is kept while a server may be about to fill it', async () => {
    writeFileSync(file, '')
    expect(await settled({ dir })).toBeUndefined()
    expect(existsSync(file)).toBe(true)
    rmSync(file)
  })
})

import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import pg from 'pg'

// A test may replace them.
const { setTimeout, clearTimeout } = globalThis

/**
 * Calls `report` with what the process is waiting for once three quarters of a test's time have passed. Returns a function that ends the
 * watch.
 */
export function watchForStuck(limitMs: number, report: (lines: string[]) => void): () => void {
  const timer = setTimeout(async () => report([...openHandles(), ...(await runningStatements())]), limitMs * 0.75)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Returns the running programs that this process has started, and the open sockets, one per line. */
function openHandles(): string[] {
  const handles: unknown[] = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles()
  return handles.flatMap((handle) => {
    const { spawnargs, pid } = handle as ChildProcess
    if (spawnargs) return [`process ${pid}: ${spawnargs.join(' ')}`]
    const { remoteAddress, remotePort, bytesRead } = handle as Socket
    return remoteAddress ? [`connection to ${remoteAddress}:${remotePort}, ${bytesRead} bytes received`] : []
  })
}

/** Returns the statements running on the tests' database server, and what each waits for. */
async function runningStatements(): Promise<string[]> {
  const server = process.env.REELGATE_TEST_SERVER
  if (!server) return []
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ line: string }>(
      `SELECT format('statement of %s (%s, waits for %s): %s', datname, state, coalesce(wait_event, 'nothing'), left(query, 300)) AS line
         FROM pg_stat_activity
        WHERE state <> 'idle' AND pid <> pg_backend_pid()`,
    )
    return rows.map(({ line }) => line)
  } catch (error) {
    return [`the statements cannot be read: ${(error as Error).message}`]
  } finally {
    await client.end().catch(() => {})
  }
}

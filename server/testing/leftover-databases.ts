import pg from 'pg'

/** Drops the databases of dead processes. Their names are a prefix, the process's ID, and a free suffix. */
export async function dropLeftoverDatabases(admin: pg.Client, prefix: string): Promise<void> {
  const { rows } = await admin.query<{ name: string }>('SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)', [prefix])
  for (const { name } of rows)
    if (!alive(Number.parseInt(name.slice(prefix.length), 10)))
      await admin.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

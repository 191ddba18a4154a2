import { createHmac } from 'node:crypto'
import pg from 'pg'

/** The embedded database's roles besides its superuser. `OWNER_ROLE` owns tables and functions; `SERVICE_ROLE` reads and writes rows. */
export const OWNER_ROLE = 'reelgate_owner'
export const SERVICE_ROLE = 'reelgate'

/** Returns the password of one of the embedded database's roles, derived one-way from the superuser's. */
export const rolePassword = (role: string, password: string) => createHmac('sha256', password).update(`role ${role}`).digest('hex')

/** Creates both roles, which can only sign in, and updates their passwords. Runs as the superuser. */
export async function makeRoles(client: pg.ClientBase, password: string): Promise<void> {
  for (const role of [OWNER_ROLE, SERVICE_ROLE]) {
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])
    const options = `LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${pg.escapeLiteral(rolePassword(role, password))}`
    await client.query(`${rowCount ? 'ALTER' : 'CREATE'} ROLE ${role} ${options}`)
  }
}

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

/**
 * Transfers a database and its objects to the owner's role, and the job queue's tables to the service's. Safe to repeat. Runs in that
 * database as the superuser, which owned everything before there were roles.
 */
export async function transferDatabaseOwnership(client: pg.ClientBase): Promise<void> {
  await client.query(HAND_OVER)
}

const HAND_OVER = `
DO $$
DECLARE
  v_what record;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE d.datname = current_database() AND r.rolname = '${OWNER_ROLE}') THEN
    EXECUTE format('ALTER DATABASE %I OWNER TO ${OWNER_ROLE}', current_database());
    ALTER SCHEMA public OWNER TO ${OWNER_ROLE};
    IF EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'pgboss') THEN
      ALTER SCHEMA pgboss OWNER TO ${OWNER_ROLE};
    END IF;
    FOR v_what IN
      SELECT n.nspname, c.relname, CASE n.nspname WHEN 'pgboss' THEN '${SERVICE_ROLE}' ELSE '${OWNER_ROLE}' END AS role
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('public', 'pgboss') AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
        -- The sequence of a column follows its table.
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND (d.deptype = 'e' OR c.relkind = 'S' AND d.deptype IN ('a', 'i')))
    LOOP
      EXECUTE format('ALTER TABLE %I.%I OWNER TO %I', v_what.nspname, v_what.relname, v_what.role);
    END LOOP;
    FOR v_what IN
      SELECT p.oid::regprocedure AS name, CASE n.nspname WHEN 'pgboss' THEN '${SERVICE_ROLE}' ELSE '${OWNER_ROLE}' END AS role
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname IN ('public', 'pgboss') AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    LOOP
      EXECUTE format('ALTER ROUTINE %s OWNER TO %I', v_what.name, v_what.role);
    END LOOP;
    FOR v_what IN
      SELECT n.nspname, t.typname, CASE n.nspname WHEN 'pgboss' THEN '${SERVICE_ROLE}' ELSE '${OWNER_ROLE}' END AS role
      FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname IN ('public', 'pgboss') AND t.typtype = 'e'
    LOOP
      EXECUTE format('ALTER TYPE %I.%I OWNER TO %I', v_what.nspname, v_what.typname, v_what.role);
    END LOOP;
  END IF;
END $$`

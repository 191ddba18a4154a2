import pg from 'pg'

/** Tables that the service adds rows to and never changes or removes rows of. */
const APPEND_ONLY = ['audit_entry', 'ledger_entry']
/** Tables that the database writes itself, as their owner. */
const READ_ONLY = ['audit_chain', 'audit_link', '_prisma_migrations', 'routine_checksum']

/**
 * Gives the service's role the rights it needs on the tables of another role: rows of all tables, but only new rows of logs and books, and no
 * rights on what defines them. The job queue's schema is its own. Connected as the owner; repeating it changes nothing.
 */
export async function grantToService(owner: pg.ClientBase, role: string): Promise<void> {
  const service = pg.escapeIdentifier(role)
  // Table by table: an operator's own tables in the same schema belong to other roles, and are left alone.
  const { rows } = await owner.query<{ name: string; sequence: boolean }>(`
    SELECT c.oid::regclass::text AS name, c.relkind = 'S' AS sequence FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND pg_has_role(c.relowner, 'USAGE')`)
  const [tables, sequences] = [false, true].map((wanted) =>
    rows
      .filter(({ sequence }) => sequence === wanted)
      .map(({ name }) => name)
      .join(', '),
  )
  await owner.query(`
    GRANT USAGE, CREATE ON SCHEMA pgboss TO ${service};
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT USAGE ON SCHEMA public TO ${service};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${service};
    GRANT USAGE, SELECT ON SEQUENCE ${sequences} TO ${service};
    REVOKE UPDATE, DELETE ON ${APPEND_ONLY.join(', ')} FROM ${service};
    REVOKE INSERT, UPDATE, DELETE ON ${READ_ONLY.join(', ')} FROM ${service};`)
}

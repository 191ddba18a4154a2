import pg from 'pg'

/** Tables that the service only inserts into, and never changes or deletes from. */
const APPEND_ONLY = ['audit_entry', 'ledger_entry']
/** Tables that only the database writes, as their owner. */
const READ_ONLY = ['audit_chain', 'audit_link', '_prisma_migrations', 'routine_checksum']

/**
 * Grants the service's role rights on tables that another role owns: rows of all tables, but only inserts into logs and the ledger, and no
 * rights on definitions. The job queue's schema belongs to the service. Runs as the owner; safe to repeat.
 */
export async function grantToService(owner: pg.ClientBase, role: string): Promise<void> {
  const service = pg.escapeIdentifier(role)
  // Table by table, so that an operator's own tables in the same schema, which belong to other roles, stay as they are.
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

import pg from 'pg'

/** Tables in which the service inserts rows and never changes or deletes them. */
const APPEND_ONLY = ['audit_entry', 'ledger_entry']
/** Tables that only the database writes, as their owner. */
const READ_ONLY = ['audit_chain', 'audit_link', '_prisma_migrations', 'routine_checksum']

/**
 * Grants the service's role its rights on the tables of another role: rows of all tables, but only inserts into logs and the ledger, and no
 * rights on definitions. The job queue's schema belongs to the service. Connected as the owner; repeating it has no effect.
 */
export async function grantToService(owner: pg.ClientBase, role: string): Promise<void> {
  const service = pg.escapeIdentifier(role)
  // Table by table: an operator's own tables in the same schema belong to other roles and are not changed.
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

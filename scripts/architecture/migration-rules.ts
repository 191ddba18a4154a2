interface Rule {
  /** Finds a statement that the rule is about. */
  statement: RegExp
  /** Why it breaks a process of the previous version, or a request. */
  reason: string
  /** Whether the name of the migration may say, by `_needs_<time>`, that the previous version does not depend on it. */
  contract: boolean
  /** Whether `LOCK TABLE` says that the table is small and that its writers wait. */
  lock?: boolean
}

/** Statements that must not run while processes of the previous version are serving. */
const RULES: Rule[] = [
  { statement: /\bDROP\s+(TABLE|COLUMN|TYPE)\b/i, reason: 'the previous version still uses it', contract: true },
  { statement: /\bRENAME\b/i, reason: 'the previous version knows the old name', contract: true },
  { statement: /\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b/i, reason: 'it rewrites the table under a lock', contract: true },
  { statement: /\bSET\s+NOT\s+NULL\b/i, reason: 'the previous version may insert rows without it', contract: true },
  {
    statement: /\bADD\s+COLUMN\s(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
    reason: 'the previous version inserts rows without it',
    contract: false,
  },
  {
    statement: /\bADD\s+CONSTRAINT\b(?![^;]*\bNOT\s+VALID\b)/i,
    reason: 'it reads the whole table under a lock; add it NOT VALID, then validate',
    contract: false,
  },
  {
    statement: /\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY\b)/i,
    reason: 'it blocks writes; use CREATE INDEX CONCURRENTLY, alone in its migration, or LOCK TABLE first where the table is small',
    contract: false,
    lock: true,
  },
]

const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, '')

/** Returns why a migration after the first must not run next to the previous version, one line per statement. */
export function migrationFaults(name: string, sql: string): string[] {
  const text = withoutComments(sql)
  const declared = /_needs_\d{14}$/.test(name)
  const created = new Set([...text.matchAll(/\bCREATE\s+TABLE\s+(\w+)/gi)].map(([, name]) => name))
  const locked = [...text.matchAll(/\bLOCK\s+TABLE\s+([\w,\s]+?)\s+IN\b/gi)].flatMap(([, names = '']) => names.split(/\s*,\s*/))
  return text
    .split(';')
    .map((statement) => statement.trim())
    .flatMap((statement) => {
      // A table created in the same migration has no rows and no users.
      const table = /\b(?:ALTER\s+TABLE(?:\s+ONLY)?|ON)\s+(\w+)/i.exec(statement)?.[1]
      if (table && created.has(table)) return []
      const rule = RULES.find(
        (one) => one.statement.test(statement) && !(one.contract && declared) && !(one.lock && table && locked.includes(table)),
      )
      return rule ? [`${statement.replace(/\s+/g, ' ')}: ${rule.reason}`] : []
    })
}

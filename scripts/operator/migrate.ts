import { env } from '../../server/platform/config/config.ts'
import { ownerOf } from '../../server/platform/database/database-url.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import type { Command } from './command.ts'
import { withDatabaseOfAnyVersion } from './database.ts'

export const migrateSchema: Command = {
  name: 'migrate',
  description: 'Updates the database schema. Processes of this and the previous version may be running.',
  // The schema is what it changes.
  needsDatabase: () => false,
  run: (_parsed, print) =>
    withDatabaseOfAnyVersion(async () => {
      const { url, service } = ownerOf(env())
      const { migrations, routines } = await migrate(url, { service })
      for (const name of migrations) print(`applied the migration ${name}`)
      print(migrations.length + routines.length === 0 ? 'The schema is up to date.' : `applied ${routines.length} routine(s)`)
      return 0
    }),
}

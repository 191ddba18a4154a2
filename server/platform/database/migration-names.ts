import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of this build's migrations. */
export const migrationsFolder = () => join(/* turbopackIgnore: true */ import.meta.dirname, '../../../prisma/migrations')

/** Names of the migrations this build brings, in order. */
export const migrationNames = (folder = migrationsFolder()) =>
  readdirSync(/* turbopackIgnore: true */ folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

import { defineConfig } from 'prisma/config'

// Only the CLI reads this; the running service applies its migrations itself (server/platform/database/migrate.ts).
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://unset' },
})

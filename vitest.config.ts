import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'app/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/*.built.test.ts', 'node_modules/**'],
    globalSetup: ['server/testing/global-setup.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tolerates a slow machine; a condition that never holds still fails, slightly later.
    expect: { poll: { timeout: 15_000 } },
  },
})

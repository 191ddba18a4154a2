import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** Tests that need the built pages: `npm test` runs them after the build. */
export default defineConfig({
  test: { ...config.test, include: ['{server,app,scripts}/**/*.built.test.ts'], exclude: ['node_modules/**'] },
})

import { defineConfig } from '@playwright/test'
import tests from './playwright.config.ts'

/** `npm run screens`: a screenshot of every page, in both themes and at two widths, instead of the tests. */
export default defineConfig({
  ...tests,
  testIgnore: [],
  testMatch: 'screens.spec.ts',
  reporter: [['list']],
  workers: 1,
  use: { ...tests.use, trace: 'off' },
})

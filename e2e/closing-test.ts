import { test as base } from '@playwright/test'

/** A test that closes the browser contexts it created: their pages continue to poll and to play, also after the test. */
export const test = base.extend<{ closeContexts: undefined }>({
  closeContexts: [
    async ({ browser }, use) => {
      await use(undefined)
      await Promise.all(browser.contexts().map((context) => context.close()))
    },
    { auto: true },
  ],
})

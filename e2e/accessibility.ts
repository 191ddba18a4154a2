import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Waits until nothing fades any more: halfway, colours are of neither theme. What turns for ever is left out. */
const SETTLED = `Promise.all(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
  .map(({ finished }) => finished.catch(() => {}))).then(() => undefined)`

/** Until then what moves cannot be clicked, and trying scrolls it away. */
export const settled = (page: Page) => page.evaluate(SETTLED)

/**
 * Accessibility faults of the page itself (not of frames in it), a line each. `options` are axe's.
 * Run as text they come through the debugger, which a page's content policy does not concern.
 */
export async function faults(page: Page, options: object = {}): Promise<string[]> {
  // A page's title may come after its content.
  await expect(page).toHaveTitle(/./)
  await page.evaluate(axe)
  await settled(page)
  const run = `axe.run(document, ${JSON.stringify({ iframes: false, ...options })})`
  return page.evaluate<string[]>(
    `${run}.then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(', ')))`,
  )
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Waits until no element is fading: during a fade, colors belong to neither theme. Ignores endless animations, and those of scrolling. */
const SETTLED = `Promise.all(document.getAnimations()
  .filter(({ effect, timeline }) => timeline === document.timeline && effect?.getComputedTiming().iterations !== Infinity)
  .map(({ finished }) => finished.catch(() => {}))).then(() => undefined)`

/** Expression for the number of menus and tooltips that close: nothing refers to them any more, and a timer removes them after their fade. */
const CLOSING = `[...document.querySelectorAll('[data-portal] :is([role="menu"], [role="tooltip"])')]
  .filter(({ id }) => !document.querySelector(\`[aria-controls~="\${id}"], [aria-describedby~="\${id}"]\`)).length`

/** Waits until animations end and closed menus are gone: a moving element cannot be clicked, and the attempt scrolls it away. */
export async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate<number>(CLOSING), 'menus that close').toBe(0)
  await page.evaluate(SETTLED)
}

/** The rules of axe that depend on the theme. */
export const COLOURS = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

/** Changes an open page's theme and waits until the page shows it: an earlier check would see both themes' colors. */
export async function changeTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.waitForFunction((wanted) => (document.documentElement.dataset.mantineColorScheme ?? wanted) === wanted, theme)
}

/** Expects no accessibility fault in either theme: all rules in the light one, those that depend on the theme in the dark one. */
export async function soundInBothThemes(page: Page): Promise<void> {
  await changeTheme(page, 'light')
  expect(await faults(page), `${page.url()} in the light theme`).toEqual([])
  await changeTheme(page, 'dark')
  expect(await faults(page, COLOURS), `${page.url()} in the dark theme`).toEqual([])
  await changeTheme(page, 'light')
}

const UNNAMED_DIALOGS = `[...document.querySelectorAll('[role="dialog"]')].filter((dialog) => !dialog.ariaLabel &&
  !(dialog.getAttribute('aria-labelledby') ?? '').split(' ').some((id) => document.getElementById(id)?.textContent)).length`

/** Other results are not read, and describing them takes a tenth of a check's time. */
const READ = { iframes: false, resultTypes: ['violations'] }

/** Expression that sends a mouse event to each notification: as long as the pointer is over one of them, none closes. */
const toNotifications = (event: 'mouseover' | 'mouseout') =>
  `document.querySelectorAll('.mantine-Notifications-notification').forEach((one) => one.dispatchEvent(new MouseEvent('${event}', { bubbles: true })))`

/**
 * axe does not require a name for a radio group, and only notes a reference to a missing label. It requires landmarks around tooltips, which
 * are read with what they describe. Whether one is open depends on how long the pointer rests.
 */
const RULES = `axe.configure({
  rules: [{
    id: 'radiogroup-name', selector: '[role="radiogroup"]', any: ['aria-label', 'aria-labelledby'],
    metadata: { description: 'Radio groups have a name', help: 'Radio groups must have a name' } }],
  checks: [{ id: 'region', options: { regionMatcher: 'dialog, [role=dialog], [role=alertdialog], [role=tooltip], svg' } }] })`

/**
 * Returns the page's accessibility faults (without its frames), one per line. `options` are axe's. Passed as text, axe runs through the
 * debugger, which a page's content policy does not restrict.
 */
export async function faults(page: Page, options: object = {}): Promise<string[]> {
  // A page's title may arrive after its content.
  await expect(page).toHaveTitle(/./)
  // A dialog refers to its title once both are mounted. One that closes in the meantime is gone.
  await expect.poll(() => page.evaluate<number>(UNNAMED_DIALOGS)).toBe(0)
  if (!(await page.evaluate('"axe" in window'))) {
    await page.evaluate(axe)
    await page.evaluate(RULES)
  }
  // A notification that fades while axe runs has neither theme's colors.
  await page.evaluate(toNotifications('mouseover'))
  await settled(page)
  const run = `axe.run(document, ${JSON.stringify({ ...READ, ...options })})`
  const found = await page.evaluate<string[]>(
    `${run}.then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(', ')))`,
  )
  await page.evaluate(toNotifications('mouseout'))
  return found
}

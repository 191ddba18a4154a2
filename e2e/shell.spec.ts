import { expect, type Page, test } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { live, newKey, newUser, visit } from './person.ts'

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })
const typed = (page: Page) => palette(page).getByRole('textbox')

/** Opens the palette with its shortcut, wherever the focus is. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(typed(page)).toBeFocused()
  await expect(typed(page)).toHaveValue('')
}

test('the palette opens every page by keyboard alone', async ({ page }) => {
  const { dashboard } = await newUser(page)
  await newKey(dashboard, 'Ticket shop')
  await visit(page, '/')
  // What is typed before the palette has loaded is searched for, and opens no page.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('gb')
  await expect(typed(page)).toHaveValue('gb')
  await expect(page).toHaveURL(/\/$/)
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)

  await openPalette(page)
  await soundInBothThemes(page)
  await page.keyboard.type('settings')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/settings$/)

  await openPalette(page)
  await page.keyboard.type('ticket')
  await expect(palette(page).getByRole('button', { name: /Ticket shop/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/api-keys\/key_/)

  await openPalette(page)
  await page.keyboard.type('nothing is called this')
  await expect(palette(page)).toContainText('No results')
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)

  const before = await page.locator('html').getAttribute('data-mantine-color-scheme')
  await openPalette(page)
  await page.keyboard.type(before === 'dark' ? 'light' : 'dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).not.toHaveAttribute('data-mantine-color-scheme', before ?? '')

  await openPalette(page)
  await page.keyboard.type('generate')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Generate New Key' })).toBeVisible()
})

test('letters open pages and the list of shortcuts, unless they are turned off or typed', async ({ page }) => {
  await newUser(page)
  await visit(page, '/')
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await expect(page.getByRole('heading', { name: 'API Keys' })).toBeVisible()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(list).toContainText('Go to Videos')
  await soundInBothThemes(page)
  await list.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck()
  await page.keyboard.press('Escape')
  await expect(list).toBeHidden()
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await openPalette(page)
  await page.keyboard.type('shortcuts')
  await page.keyboard.press('Enter')
  await expect(list).toBeVisible()
  await expect(page.getByRole('heading', { name: 'API Keys' })).toBeAttached()
})

test('on a phone the palette opens from the header', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await newUser(page)
  await visit(page, '/')
  // Before the page is live, a click is lost.
  await expect(async () => {
    if (!(await typed(page).isVisible())) await page.getByRole('button', { name: 'Search or jump to…' }).click({ timeout: 10_000 })
    await expect(typed(page)).toBeVisible({ timeout: 10_000 })
  }).toPass()
  await typed(page).fill('audit')
  await palette(page).getByRole('button', { name: 'Audit log' }).click()
  await expect(page.getByRole('heading', { name: 'Audit log' })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
})

test('a lost connection is shown, and the page recovers without an action', async ({ page, context }) => {
  await newUser(page)
  await visit(page, '/')
  const notice = page.getByText('Connection lost.')
  await expect(notice).toHaveCount(0)
  await context.setOffline(true)
  await expect(notice).toBeVisible()
  await soundInBothThemes(page)
  const answered = page.waitForResponse(/\/api\/trpc\//)
  await context.setOffline(false)
  await expect(notice).toHaveCount(0)
  await answered
})

test.describe('on the first visit from another time zone', () => {
  test.use({ timezoneId: 'Asia/Kolkata' })

  test('a page whose scripts arrive late keeps the content that the server sent', async ({ page }) => {
    await newUser(page)
    const scripts = async (path: string) =>
      new Set((await (await page.request.get(path)).text()).match(/\/_next\/static\/chunks\/[\w.-]+\.js/g))
    const ofAnother = await scripts('/settings')
    const own = [...(await scripts('/usage'))].filter((script) => !ofAnother.has(script))
    expect(own).not.toEqual([])
    const held = Promise.withResolvers<void>()
    for (const script of own)
      await page.route(`**${script}`, async (route) => {
        await held.promise
        await route.continue()
      })
    await page.addInitScript(() => {
      const seen = Object.assign(window, { titles: [] as boolean[] }).titles
      new MutationObserver(() => {
        const shown = document.querySelector('h1')?.checkVisibility() ?? false
        if (shown !== (seen.at(-1) ?? false)) seen.push(shown)
      }).observe(document, { subtree: true, childList: true, attributes: true })
    })
    await page.goto('/usage', { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible()
    // The parts around the page work, and the page is shown in the reader's zone from now on.
    await expect.poll(async () => (await page.context().cookies()).map(({ value }) => value)).toContain('Asia/Calcutta')
    await page.getByRole('button', { name: /^Account/ }).click()
    await expect(page.getByRole('menu')).toBeVisible()
    held.resolve()
    await page.keyboard.press('Escape')
    await live(page)
    expect(await page.evaluate('titles')).toEqual([true])
  })
})

test('an event stream that a proxy responds to with an error is reopened', async ({ page }) => {
  await newUser(page)
  await visit(page, '/')
  let requests = 0
  await page.route('**/api/trpc/video.watch**', (route) => (requests++ === 0 ? route.fulfill({ status: 502 }) : route.continue()))
  // The previous page has a stream too, whose response may arrive only now.
  const opened = page.waitForResponse((response) => requests > 1 && response.url().includes('video.watch') && response.ok())
  await page.goto('/videos')
  await opened
})

test('two tabs that edit the same object do not lose work silently', async ({ page, context }) => {
  await newUser(page)
  const other = await context.newPage()
  for (const tab of [page, other]) await tab.goto('/settings')
  const rename = async (tab: Page, name: string) => {
    await tab.getByRole('textbox', { name: 'Account name' }).fill(name)
    await tab
      .locator('form', { has: tab.getByRole('textbox', { name: 'Account name' }) })
      .getByRole('button', { name: 'Save' })
      .click()
  }
  await rename(other, 'Second tab')
  await expect(other.getByText('Account renamed.')).toBeVisible()
  await rename(page, 'First tab')
  const conflict = page.getByRole('alert').filter({ hasText: 'This was changed while you were editing' })
  await expect(conflict).toContainText('Second tab')
  await expect(conflict).toContainText('First tab')
  await soundInBothThemes(page)
  await conflict.getByRole('button', { name: 'Discard my changes' }).click()
  await expect(page.getByRole('textbox', { name: 'Account name' })).toHaveValue('Second tab')
  await rename(page, 'First again')
  await expect(page.getByText('Account renamed.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Account/ }).first()).toContainText('First again')
})

import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './closing-test.ts'
import { giveVideos } from './many-videos.ts'
import { newKey, newUser, visit } from './person.ts'

/** The open layer: a dialog, a drawer or a popover. */
const layer = (page: Page) => page.getByRole('dialog').filter({ visible: true })

/** Opens a layer with the keyboard, checks that it has the focus, closes it, and checks that what opened it has the focus again. */
async function opensAndReturns(page: Page, opener: Locator, home = opener): Promise<void> {
  await opener.focus()
  await page.keyboard.press('Enter')
  await expect(layer(page)).toHaveCount(1)
  // Content that loads late leaves the focus with the layer itself.
  await expect.poll(() => page.evaluate(() => Boolean(document.activeElement?.closest('[role=dialog]')))).toBe(true)
  await page.keyboard.press('Escape')
  await expect(layer(page)).toHaveCount(0)
  await expect(home).toBeFocused()
}

/** The same for the items of a menu, which are gone when their dialog closes: its button gets the focus. */
async function menuReturns(page: Page, name: string, items: readonly (string | RegExp)[]): Promise<void> {
  const button = page.getByRole('button', { name, exact: true })
  for (const item of items) {
    await button.focus()
    await page.keyboard.press('Enter')
    await opensAndReturns(page, page.getByRole('menuitem', { name: item }), button)
  }
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu').locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()

test('dialogs take the focus, and return it to what opened them', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 1)
  const { videos } = await dashboard.query<{ videos: { id: string; title: string }[] }>('video.list', {})
  await newKey(dashboard, 'Backend')
  const keys = await dashboard.query<{ id: string }[]>('key.list')
  const endpoint = await dashboard.mutate<{ id: string }>('webhook.create', {
    ...{ url: 'https://hooks.example.com/in', description: '', events: ['wallet.refilled'], retrySchedule: 'standard' },
  })

  await visit(page, '/videos')
  for (const name of ['Upload video', 'Filters', 'Saved filters', /^Collection: /]) await opensAndReturns(page, button(page, name))
  const dialogs = [
    'Share…',
    'Embed…',
    'Edit…',
    'Change metadata…',
    'Collections…',
    'Add captions…',
    'Replace source…',
    'End playback…',
    'Delete…',
  ]
  await menuReturns(page, `Actions for ${videos[0]?.title}`, dialogs)

  await visit(page, `/videos/${videos[0]?.id}`)
  for (const name of ['Share', 'Edit']) await opensAndReturns(page, button(page, name))
  await menuReturns(page, 'More actions', [/^Embed/, /^Replace source/, /^End playback/])

  await visit(page, '/api-keys')
  await opensAndReturns(page, button(page, 'Generate New Key'))
  await menuReturns(page, 'Actions for Backend', [
    'Rename',
    'Scopes',
    'Expiry and addresses',
    'Rotate',
    'Disable…',
    'End playback…',
    'Revoke',
  ])

  await visit(page, `/api-keys/${keys[0]?.id}`)
  for (const name of ['Rename', 'Rotate', 'Disable', 'Revoke', 'Set cap']) await opensAndReturns(page, button(page, name))
  await menuReturns(page, 'More actions', ['End playback…'])

  await visit(page, '/webhooks')
  await opensAndReturns(page, button(page, 'Add endpoint'))
  await visit(page, `/webhooks/${endpoint.id}`)
  await opensAndReturns(page, button(page, 'Send test event'))
  await menuReturns(page, 'More actions', ['Edit', 'Rotate secret', 'Replay events', 'Delete'])

  await visit(page, '/team')
  await opensAndReturns(page, button(page, 'Invite member'))

  await visit(page, '/billing/limits')
  await opensAndReturns(page, button(page, /^Set cap/))
  await visit(page, '/settings')
  await opensAndReturns(page, button(page, /^Delete account/))
  await visit(page, '/settings/security')
  await opensAndReturns(page, button(page, /^Set up/))

  // The search opens over the page and the focus stays with its button.
  await visit(page, '/')
  await opensAndReturns(page, button(page, /^Search/))
})

test('at 768 px, where the navigation is next to the page, nothing offers to open or close it', async ({ page }) => {
  await newUser(page)
  await page.setViewportSize({ width: 768, height: 900 })
  await visit(page, '/')
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeInViewport()
  await expect(page.getByRole('button', { name: /navigation$/ })).toHaveCount(0)
  await page.setViewportSize({ width: 767, height: 900 })
  const opener = page.getByRole('button', { name: 'Open navigation' })
  await opener.click()
  await expect(page.getByRole('button', { name: 'Close navigation' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(opener).toBeFocused()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Videos' }).click()
  await expect(page).toHaveURL(/\/videos$/)
})

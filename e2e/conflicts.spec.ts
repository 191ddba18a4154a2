import { expect, type Page, test } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { newUser, visit } from './person.ts'

const conflictOn = (page: Page) => page.getByRole('alert').filter({ hasText: 'This was changed while you were editing' })

test('an owner decides between two edits of the spending limits', async ({ page }) => {
  const { dashboard } = await newUser(page)
  await visit(page, '/billing/limits')
  const [low, cap] = ['Low balance', 'Monthly spending cap'].map((name) => page.getByRole('textbox', { name })) as [
    ReturnType<Page['getByRole']>,
    ReturnType<Page['getByRole']>,
  ]
  const saved = page.getByText('Limits saved.')
  await low.fill('10')
  await cap.fill('20')
  const none = { lowBalanceThreshold: null, monthCap: null }
  await dashboard.mutate('billing.setLimits', { lowBalanceThreshold: null, monthCap: '7', expected: none })
  await page.getByRole('button', { name: 'Save limits' }).click()
  const conflict = conflictOn(page)
  await expect(conflict.locator('dl')).toHaveText([
    'Current low balancenoneYour low balance10',
    'Current monthly spending cap7Your monthly spending cap20',
  ])
  await soundInBothThemes(page)
  await conflict.getByRole('button', { name: 'Overwrite' }).click()
  await expect(saved).toBeVisible()
  await expect(conflict).toBeHidden()
  // A notification below the pointer stays.
  await page.mouse.move(0, 0)
  await expect(saved).toBeHidden()

  const stored = { lowBalanceThreshold: '10', monthCap: '20' }
  await cap.fill('30')
  await dashboard.mutate('billing.setLimits', { ...stored, monthCap: '9', expected: stored })
  await page.getByRole('button', { name: 'Save limits' }).click()
  await expect(conflict.locator('dl')).toHaveText(['Current monthly spending cap9Your monthly spending cap30'])
  await conflict.getByRole('button', { name: 'Discard my changes' }).click()
  await expect(conflict).toBeHidden()
  await expect(cap).toHaveValue('9')
  await expect(low).toHaveValue('10')
  await cap.fill('12')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await expect(saved).toBeVisible()
})

test('an owner decides between two edits of the sites that may embed the player', async ({ page }) => {
  const { dashboard } = await newUser(page)
  await visit(page, '/settings')
  const form = page.locator('form', { has: page.getByRole('radio', { name: 'Only these sites' }) })
  const domains = form.getByRole('combobox', { name: 'Domains' })
  const enter = async (domain: string) => {
    await domains.fill(domain)
    await domains.press('Enter')
  }
  const save = form.getByRole('button', { name: 'Save', exact: true })
  await form.getByRole('radio', { name: 'Only these sites' }).click()
  await enter('mine.example')
  await dashboard.mutate('account.setEmbedDomains', { domains: ['theirs.example'], expected: [] })
  await save.click()
  const conflict = conflictOn(page)
  await expect(conflict.locator('dl')).toHaveText(['Current sitestheirs.exampleYour sitesmine.example'])
  await soundInBothThemes(page)
  await conflict.getByRole('button', { name: 'Overwrite' }).click()
  await expect(page.getByText('Saved. Applies to players opened from now on.')).toBeVisible()
  await expect(conflict).toBeHidden()

  await enter('second.example')
  await dashboard.mutate('account.setEmbedDomains', { domains: ['other.example'], expected: ['mine.example'] })
  await save.click()
  await expect(conflict.locator('dl')).toHaveText(['Current sitesother.exampleYour sitesmine.example, second.example'])
  await conflict.getByRole('button', { name: 'Discard my changes' }).click()
  await expect(conflict).toBeHidden()
  await expect(form.getByText('other.example')).toBeVisible()
  await expect(form.getByText('second.example')).toBeHidden()
  await expect(save).toBeDisabled()
})

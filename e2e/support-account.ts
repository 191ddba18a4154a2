import type { Browser, Page } from '@playwright/test'
import type { Dashboard } from '../scripts/demo-dashboard.ts'
import { baseOf, newKey, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'
import { newStaff } from './second-factor.ts'

interface OpenedAccount {
  owner: Page
  ownersEmail: string
  dashboard: Dashboard
  /** Value of the owner's key “Backend”. */
  key: string
  /** Page of a member of support staff. It shows the account's overview. */
  page: Page
  staffEmail: string
}

/** Creates an owner with a key, and a member of support staff who opens the owner's account. */
export async function openedAccount(browser: Browser): Promise<OpenedAccount> {
  const owner = await (await browser.newContext()).newPage()
  const { email: ownersEmail, dashboard } = await newUser(owner)
  const key = await newKey(dashboard, 'Backend')
  const page = await (await browser.newContext()).newPage()
  const staffEmail = await newStaff(page)
  await visit(page, `/support?q=${encodeURIComponent(ownersEmail)}`)
  await page.getByRole('table', { name: 'Results' }).getByRole('link').click()
  return { owner, ownersEmail, dashboard, key, page, staffEmail }
}

/** Gives an account the video “Trailer”. */
export const giveTrailer = (dashboard: Dashboard) =>
  giveVideo(dashboard, 'Trailer', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })

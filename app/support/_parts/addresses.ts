import type { SupportPage } from '#server/modules/support/schema'

/** Where an account, or the video or request of it that was found, is shown. */
export function addressOf({ accountId, page, subject }: { accountId: string; page: SupportPage; subject: string | null }): string {
  const account = `/support/accounts/${accountId}`
  if (page === 'overview') return account
  return (page === 'videos' || page === 'requests') && subject ? `${account}/${page}/${subject}` : `${account}/${page}`
}

import type { SupportPage } from '#server/modules/backoffice/support/schema'

/** Returns the page of an account, or of its video or request that was found. */
export function addressOf({ accountId, page, subject }: { accountId: string; page: SupportPage; subject: string | null }): string {
  const account = `/support/accounts/${accountId}`
  if (page === 'overview') return account
  return (page === 'videos' || page === 'requests' || page === 'webhooks') && subject
    ? `${account}/${page}/${subject}`
    : `${account}/${page}`
}

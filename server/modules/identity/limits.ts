/** Lifetime of an invitation in days. */
export const INVITATION_DAYS = 7
/** Maximum number of members and open invitations together. */
export const MAX_PEOPLE = 100
/** Maximum number of invitations per account in 24 hours, including withdrawn ones, to prevent unsolicited mail. */
export const MAX_INVITATIONS_PER_DAY = 100
/** Minimum number of characters of a password. */
export const PASSWORD_MIN = 10
/** Maximum number of hosts, because every player page sends them in a header. */
export const MAX_EMBED_DOMAINS = 50

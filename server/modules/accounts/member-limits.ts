/** An invitation can be accepted for so long. */
export const INVITATION_DAYS = 7
/** Members and open invitations an account may have together. */
export const MAX_PEOPLE = 100
/** Invitations an account may send in 24 hours, those it withdrew included: mail to strangers is not to be had for free. */
export const MAX_INVITATIONS_A_DAY = 100

/** Minimum number of characters of a password. */
export const PASSWORD_MIN = 10

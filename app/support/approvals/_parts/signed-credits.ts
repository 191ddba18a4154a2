/** Formats a signed amount of credits, such as `+5000 credits`, with a minus sign of a digit's width. */
export const formatSignedCredits = (credits: string): string =>
  `${credits.startsWith('-') ? `−${credits.slice(1)}` : `+${credits}`} credits`

/** A signed amount of credits, such as `+5000 credits`, with a minus sign that lines up. */
export const creditsWords = (credits: string): string => `${credits.startsWith('-') ? `−${credits.slice(1)}` : `+${credits}`} credits`

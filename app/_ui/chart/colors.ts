export const ACCENT = 'var(--mantine-color-indigo-5)'
/** The second of two quantities, and the rest of many. */
export const SECONDARY = 'var(--rg-neutral-dot)'
/** Errors and refusals. */
export const BAD = 'var(--rg-bad-dot)'

/** The colours of series without a meaning of their own, distinguishable by lightness as well as by hue. */
export const PALETTE = [ACCENT, '#12a386', '#dd9a1a', '#4c8bf5', '#c05aa8']

import { formatCount } from '../../_ui/format.ts'

/** Returns a number of captions in words: `2 captions`. */
export const captionCount = (count: number) => `${formatCount(count)} ${count === 1 ? 'caption' : 'captions'}`

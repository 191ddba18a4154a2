import { processorJob } from '../../../platform/turns/processor.ts'
import { MAX_CAPTION_CHARACTERS } from '../schema.ts'
import type { CaptionsGiven, captionsOf } from './captions-text.ts'

const convert = processorJob<typeof captionsOf>('modules/videos/captions/captions-text.ts', 'captionsOf')

/** Converts a captions file to normalized WebVTT in a thread. Errors: TurnRefused. */
export const convertCaptions = (given: Omit<CaptionsGiven, 'most'>) => convert({ ...given, most: MAX_CAPTION_CHARACTERS })

import { processorJob } from '../../platform/processor.ts'
import type { CaptionsGiven, captionsOf } from './captions-conversion.ts'
import { MAX_CAPTION_CHARACTERS } from './schema.ts'

const convert = processorJob<typeof captionsOf>('modules/videos/captions-conversion.ts', 'captionsOf')

/** Converts a captions file to normalized WebVTT in a thread. Errors: TurnRefused. */
export const convertCaptions = (given: Omit<CaptionsGiven, 'most'>) => convert({ ...given, most: MAX_CAPTION_CHARACTERS })

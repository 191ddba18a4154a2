/** Engines that turn speech into words. */
export const SPEECH_ENGINES = ['whisper', 'http', 'pocketsphinx'] as const
export type SpeechEngineName = (typeof SPEECH_ENGINES)[number]

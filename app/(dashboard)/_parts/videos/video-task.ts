/** What a dialog does with a video. */
export type VideoTask = 'share' | 'embed' | 'edit' | 'metadata' | 'captions' | 'frame' | 'collection' | 'replace' | 'end' | 'delete'

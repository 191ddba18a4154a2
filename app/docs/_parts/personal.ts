import type { SnippetValues } from '#server/modules/dashboard/snippet-values'

/** What replaces the placeholders of the docs' code: the installation's URL and, for a signed-in reader, values of the account. */
export interface Reader extends Partial<SnippetValues> {
  url: string
}

/** Returns code with the reader's values in place of its placeholders, which stay where there is none. */
export function personal(code: string, { url, liveKey, testKey, videoId }: Reader): string {
  const values: [RegExp, string | null | undefined][] = [
    [/\$REELGATE_URL\b|https:\/\/video\.example\.com\b/g, url],
    [/\bak_live_…/g, liveKey && `${liveKey}…`],
    [/\bak_test_…/g, testKey && `${testKey}…`],
    [/\$VIDEO_ID\b|\bvid_3kTMd9cXv0dRr1gB7JmQeA\b/g, videoId],
  ]
  return values.reduce((text, [placeholder, value]) => (value ? text.replace(placeholder, () => value) : text), code)
}

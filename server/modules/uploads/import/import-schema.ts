import { z } from 'zod'
import { createUploadInput } from '../direct/direct-schema.ts'

const INVALID_URL = 'Enter a complete URL, such as https://storage.example.com/clip.mp4.'

/** The URL without its fragment, which is not part of a request. */
const sourceUrl = z
  .string()
  // Object stores' signed URLs can exceed 2,000 characters.
  .max(8_192, 'A URL can have at most 8,192 characters.')
  .transform((text, ctx) => {
    const url = URL.canParse(text) && /^https?:\/\//i.test(text) ? new URL(text) : undefined
    if (url) {
      url.hash = ''
      return url.href
    }
    ctx.addIssue({ code: 'custom', message: INVALID_URL })
    return z.NEVER
  })

/** Body of `POST /v1/video/import`: an upload's, with a URL in place of what concerns the client that sends the file. */
export const importVideoInput = createUploadInput
  .omit({ allowedOrigin: true, expiresInSec: true })
  .extend({
    url: sourceUrl.meta({
      description:
        'URL of the file. Must start with `https`. Signed URLs work. We store it encrypted until the import ends, and never show it.',
      examples: ['https://storage.example.com/clip.mp4?signature=9b74c989'],
    }),
  })
  .meta({ id: 'ImportVideo', examples: [{ url: 'https://storage.example.com/clip.mp4?signature=9b74c989', title: 'Harbour at dawn' }] })
export type ImportVideoInput = z.output<typeof importVideoInput>

const { url, title, description, targetQuality, captions, encrypted } = importVideoInput.shape
const orNone = <Schema extends typeof title | typeof description | typeof captions>(text: Schema) => z.literal('').or(text)
/** Fields of the form that starts an import. An empty text counts as absent. */
export const importFormInput = z.object({
  ...{ url, title: orNone(title), description: orNone(description) },
  ...{ targetQuality, captions: orNone(captions), encrypted },
})

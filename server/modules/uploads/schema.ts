import { z } from 'zod'
import { asOneLine } from '../../platform/text/one-line.ts'
import { text } from '../../platform/text/schema.ts'
import { captionChoice, descriptionText, QUALITIES, title } from '../videos/schema.ts'

/** Fields of the upload form, validated by the form and the server. */
export const uploadInput = z.object({
  title,
  description: descriptionText.optional(),
  targetQuality: z.enum(QUALITIES, 'Choose one of the qualities.').default('1080p'),
  /** Without it, the account's setting counts. */
  captions: captionChoice.optional(),
  /** Whether segments are encrypted with AES-128. tus metadata is text only. */
  encrypted: z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]).default(true),
})

/** The video whose source the file replaces, if it does not become a video. */
const replaced = z.string().regex(/^vid_\w{1,60}$/, 'This is not a video ID.')

/** tus metadata of a new upload: the fields above and the browser's description of the file. */
export const uploadMetadata = uploadInput.extend({
  filename: text()
    .trim()
    .default('')
    // Removes what a title must not contain, so that no user has to rename a file.
    .transform(
      (name) =>
        asOneLine(name.split(/[/\\]/).at(-1) ?? '')
          .replace(/^\.+$/, '')
          .slice(0, 255)
          .toWellFormed() || 'video',
    ),
  filetype: z.string().max(255).optional(),
  replaces: replaced.optional(),
})

/** An upload's metadata from its creation: its account and its future video. Its texts were checked then, by the rules of that time. */
export const uploadInfoFields = uploadInput.extend({
  title: z.string(),
  description: z.string().optional(),
  filename: z.string(),
  accountId: z.string(),
  videoId: z.string(),
  replaces: replaced.optional(),
})

import { z } from 'zod'
import type { Edit } from '../../../errors.ts'
import { oneLine, text } from '../../../platform/text/schema.ts'
import { MAX_EMBED_DOMAINS } from '../limits.ts'
import { pictureQuality } from './quality-schema.ts'

/** Stored and compared in lowercase. 254 is the longest address that SMTP can transmit (RFC 5321 §4.5.3.1.3). */
export const email = z
  .string('Enter your email address.')
  .trim()
  .toLowerCase()
  .min(1, 'Enter your email address.')
  .max(254, 'An email address can have at most 254 characters.')
  .pipe(z.email('Enter a complete email address, such as ada@example.com.'))

/** `example.com`, `*.example.com`, `localhost:3000`. Copied unchanged into the Content-Security-Policy, so no other format may pass. */
const HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?::\d{1,5})?$/

/** A host that may embed the player. Extracts the host of a URL; converts international names to ASCII. */
export const embedDomain = z
  .string()
  .trim()
  .max(253, 'A domain can have at most 253 characters.')
  .transform((text, ctx) => {
    const host = hostOf(text)
    if (host !== undefined && HOST.test(host)) return host
    ctx.addIssue({ code: 'custom', message: `“${text}” is not a valid domain. Use a form such as example.com or *.example.com.` })
    return z.NEVER
  })

function hostOf(text: string): string | undefined {
  const [, wildcard = '', rest = ''] = /^(?:https?:\/\/)?(\*\.)?(.*)$/i.exec(text) ?? []
  if (!rest || /[\s;,'"*\\@?#]/.test(rest) || !URL.canParse(`http://${rest}`)) return undefined
  const { hostname, port } = new URL(`http://${rest}`)
  return `${wildcard}${hostname}${port ? `:${port}` : ''}`
}

export const embedDomainsInput = z.object({
  domains: z
    .array(embedDomain)
    .max(MAX_EMBED_DOMAINS, `List at most ${MAX_EMBED_DOMAINS} domains.`)
    .transform((domains) => [...new Set(domains)]),
  /** The values that the page showed. */
  expected: z.array(z.string()),
})
export type EmbedDomainsInput = Edit<z.output<typeof embedDomainsInput>>

export const playsEarlyInput = z.object({
  playsEarly: z.boolean(),
  /** The value that the page showed. */
  expected: z.boolean(),
})
export type PlaysEarlyInput = Edit<z.output<typeof playsEarlyInput>>

export const downloadsInput = z.object({
  downloads: z.boolean(),
  /** The value that the page showed. */
  expected: z.boolean(),
})
export type DownloadsInput = Edit<z.output<typeof downloadsInput>>

export const autoCaptionsInput = z.object({
  autoCaptions: z.boolean(),
  /** The value that the page showed. */
  expected: z.boolean(),
})
export type AutoCaptionsInput = Edit<z.output<typeof autoCaptionsInput>>

export const pictureQualityInput = z.object({
  pictureQuality,
  /** The value that the page showed. */
  expected: pictureQuality,
})
export type PictureQualityInput = Edit<z.output<typeof pictureQualityInput>>

/** Default, least and most: days for which viewers are kept, and percent of a video at which it counts as completed. */
export const VIEWER_BOUNDS = {
  viewerRetentionDays: { default: 400, min: 1, max: 3_650 },
  completedPercent: { default: 90, min: 50, max: 100 },
} as const

const whole = ({ min, max }: { min: number; max: number }, unit: string) => {
  const message = `Enter a whole number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}${unit}.`
  return z.int(message).min(min, message).max(max, message)
}

export const viewerSettings = z.object({
  viewerRetentionDays: whole(VIEWER_BOUNDS.viewerRetentionDays, ' days'),
  completedPercent: whole(VIEWER_BOUNDS.completedPercent, '%'),
})
export type ViewerSettings = z.output<typeof viewerSettings>

export const viewerSettingsInput = viewerSettings.extend({
  /** The values that the page showed. */
  expected: viewerSettings,
})
export type ViewerSettingsInput = Edit<z.output<typeof viewerSettingsInput>>

export const renameAccountInput = z.object({
  name: oneLine(text().trim().min(1, 'Enter an account name.').max(80, 'Use at most 80 characters.')),
  /** The name that the page showed. */
  expected: z.string(),
})
export type RenameAccountInput = Edit<z.output<typeof renameAccountInput>>

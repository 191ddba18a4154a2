import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core'
import type { Metadata, Viewport } from 'next'
import { cookies, headers } from 'next/headers'
import type { ReactNode } from 'react'
import { faces } from './_ui/fonts'
import { ZONE_COOKIE } from './_ui/format'
import { Providers } from './_ui/page/Providers'
import { TimeZoneProvider } from './_ui/time-zone'

export const metadata: Metadata = {
  title: { default: 'Reelgate', template: '%s · Reelgate' },
  description: 'Video delivery with API keys, quotas and playback tokens.',
  robots: { index: false, follow: false },
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f7f8fa' },
    { media: '(prefers-color-scheme: dark)', color: '#0c0e13' },
  ],
}

/** Rendered per request: the nonce that allows its scripts belongs to the request (proxy.ts). */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined
  const zone = (await cookies()).get(ZONE_COOKIE)?.value
  return (
    <html lang="en" className={faces} {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} />
      </head>
      <body>
        <Providers nonce={nonce}>
          <TimeZoneProvider initial={zone}>{children}</TimeZoneProvider>
        </Providers>
      </body>
    </html>
  )
}

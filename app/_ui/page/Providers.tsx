'use client'

import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../fonts.css'
import '../global.css'
import '../touch.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { type ReactNode, useEffect } from 'react'
import { keepFocus } from '../keep-focus'
import { surfaces, theme } from '../theme'

// Must run before zod loads. zod tries `Function('')`, which the pages' policy forbids, and Firefox logs an error.
if (typeof window !== 'undefined') {
  const shared = window as { __zod_globalConfig?: object }
  shared.__zod_globalConfig = Object.assign(shared.__zod_globalConfig ?? {}, { jitless: true })
}

/** Provides theme, notifications and the care for the focus to every page. `nonce` lets style elements pass the page's policy. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  // The dialogs' scroll lock reads the nonce from here.
  if (typeof window !== 'undefined') Object.assign(window, { __webpack_nonce__: nonce })
  useEffect(() => keepFocus(document), [])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={surfaces} defaultColorScheme="auto" getStyleNonce={() => nonce ?? ''}>
      <Notifications position="bottom-center" limit={3} />
      {children}
    </MantineProvider>
  )
}

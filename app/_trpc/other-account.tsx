'use client'

import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'

/** Shows, until the page is reloaded, that another tab switched to another account: this tab shows and changes nothing any more. */
export function showOtherAccount(): void {
  notifications.show({
    id: 'other-account',
    autoClose: false,
    withCloseButton: false,
    withBorder: true,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>You switched accounts in another tab. Your change was not saved.</span>
        <Button size="compact-sm" variant="light" onClick={() => window.location.assign('/')}>
          Switch account
        </Button>
      </Group>
    ),
  })
}

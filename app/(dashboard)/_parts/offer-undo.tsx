import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'

/** Says what was done to a named thing, with a button that undoes it where that is possible. `id` identifies the thing. */
export function offerUndo(id: string, did: string, name: string, undo: (() => void) | undefined): void {
  const take = () => {
    notifications.hide(id)
    undo?.()
  }
  notifications.hide(id)
  notifications.show({
    id,
    autoClose: 10_000,
    withBorder: true,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>
          {did} <b>{name}</b>
        </span>
        {undo && (
          <Button size="compact-sm" variant="light" onClick={take}>
            Undo
          </Button>
        )}
      </Group>
    ),
  })
}

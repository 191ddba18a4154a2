'use client'

import { Button } from '@mantine/core'
import { IconGavel, IconRotate } from '@tabler/icons-react'
import { useTRPC } from '../../../../../../_trpc/client'
import { useReason } from '../../../../../_parts/use-reason'

interface Input {
  accountId: string
  videoId: string
  takenDown: boolean
}

/** Takes a video down, or restores it, for a stated reason. */
export function TakeDownButton({ accountId, videoId, takenDown }: Input) {
  const trpc = useTRPC()
  const { ask, dialog } = useReason<Input, void>(trpc.support.setTakenDown.mutationOptions())
  const takeDown = () =>
    ask({
      title: 'Take this video down?',
      description:
        'The API and players stop serving the video within a second. The owner sees the reason and cannot restore the video. Media is retained even if the owner deletes the video.',
      confirm: 'Take down',
      harms: true,
      done: 'Video taken down.',
      input: { accountId, videoId, takenDown: true },
    })
  const liftTakeDown = () =>
    ask({
      title: 'Restore this video?',
      description: 'The video can be played again, unless its owner deleted it.',
      confirm: 'Restore',
      done: 'Video restored.',
      input: { accountId, videoId, takenDown: false },
    })
  return (
    <>
      {takenDown ? (
        <Button variant="default" leftSection={<IconRotate size={15} />} onClick={liftTakeDown}>
          Restore
        </Button>
      ) : (
        <Button variant="default" c="var(--mantine-color-error)" leftSection={<IconGavel size={15} />} onClick={takeDown}>
          Take down
        </Button>
      )}
      {dialog}
    </>
  )
}

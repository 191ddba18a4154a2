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
      words:
        'The API, players and playback keys refuse it within a second. Its owner sees the reason and cannot undo it. Its media is held, also if the owner deletes it.',
      confirm: 'Take down',
      harms: true,
      done: 'The video is taken down.',
      input: { accountId, videoId, takenDown: true },
    })
  const liftTakeDown = () =>
    ask({
      title: 'Put this video back?',
      words: 'It plays again as before, unless its owner has deleted it.',
      confirm: 'Put back',
      done: 'The video is no longer taken down.',
      input: { accountId, videoId, takenDown: false },
    })
  return (
    <>
      {takenDown ? (
        <Button variant="default" leftSection={<IconRotate size={15} />} onClick={liftTakeDown}>
          Put back
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

'use client'

import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { LIMITS } from '#server/limits'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { LimitBar } from '../../../_ui/LimitBar'
import { Notice } from '../../../_ui/Notice'
import { SettingSwitch } from './SettingSwitch'

interface Props {
  autoCaptions: boolean
  /** How the operator switches speech to text on; null if it is on. */
  speechOff: string | null
  /** Transcribed in this month. */
  minutes: { used: number; limit: number }
  mayChange: boolean
}

/** Sets whether videos get captions from their speech. */
export function AutoCaptions({ autoCaptions, speechOff, minutes, mayChange }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const change = useMutation(
    trpc.account.setAutoCaptions.mutationOptions({
      onSettled: () => client.invalidateQueries(trpc.account.settings.pathFilter()),
    }),
  )
  return (
    <Stack gap="md">
      {speechOff && <Notice tone="info">{speechOff}</Notice>}
      <SettingSwitch
        label="Generate captions for new videos"
        description="Once a video is complete, we transcribe its speech and add captions in the spoken language. Each upload can override this."
        checked={autoCaptions}
        mayChange={mayChange}
        change={change}
        onChange={(checked) => change.mutate({ autoCaptions: checked, expected: autoCaptions })}
      />
      {!speechOff && <LimitBar title={LIMITS.transcribedMinutes.title} used={minutes.used} limit={minutes.limit} format={formatCount} />}
    </Stack>
  )
}

'use client'

import { Radio, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PictureQuality } from '#server/modules/accounts/schema'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'

const TEXTS: Record<PictureQuality, [label: string, description: string]> = {
  economy: ['Economy', 'Fewest bytes. Differences from the original can be seen on a large screen.'],
  standard: ['Standard', 'Differences from the original are hard to see.'],
  high: ['High', 'Closest to the original, with more bytes to store and deliver.'],
}

/** Sets how good the encoded pictures of new videos shall be. */
export function PictureQualitySetting({ pictureQuality, mayChange }: { pictureQuality: PictureQuality; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const change = useMutation(
    trpc.account.setPictureQuality.mutationOptions({
      onSettled: () => client.invalidateQueries(trpc.account.settings.pathFilter()),
    }),
  )
  return (
    <Stack gap="md">
      {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
      {change.error && <Notice tone="bad">{change.error.message}</Notice>}
      <Radio.Group
        label="Quality of encoded pictures"
        description="Bytes are spent so that every video reaches this quality, whatever its content. The setting applies to videos whose processing begins from now on."
        value={pictureQuality}
        onChange={(value) => change.mutate({ pictureQuality: value as PictureQuality, expected: pictureQuality })}
      >
        <Stack gap="sm" mt="sm">
          {(Object.entries(TEXTS) as [PictureQuality, [string, string]][]).map(([value, [label, description]]) => {
            return <Radio key={value} value={value} label={label} description={description} disabled={!mayChange || change.isPending} />
          })}
        </Stack>
      </Radio.Group>
    </Stack>
  )
}

'use client'

import { Button, Group, Loader, Modal, NumberInput, Slider, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconDownload, IconPhotoCheck } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../_trpc/client'
import { formatDuration } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import classes from './FrameDialog.module.css'

interface Props {
  video: Pick<DashboardDetail, 'id' | 'title' | 'durationSec' | 'renditions'>
  opened: boolean
  onClose: () => void
  mayChange: boolean
}

/** Chooses a frame of the video by its second, to download it or to make it the poster. */
export function FrameDialog({ video, opened, onClose, mayChange }: Props) {
  const { id: videoId, title, durationSec, renditions } = video
  const trpc = useTRPC()
  const client = useQueryClient()
  const [second, setSecond] = useState(Math.min(5, durationSec / 2))
  const [time] = useDebouncedValue(second, 250)
  /** Address of the last frame that was loaded. */
  const [drawn, setDrawn] = useState<string | null>()
  const frame = useQuery(
    trpc.video.thumbnail.queryOptions(
      { videoId, time, width: 1_920 },
      { enabled: opened, placeholderData: keepPreviousData, staleTime: 600_000 },
    ),
  )
  const choose = useMutation(
    trpc.video.posterAt.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries(trpc.video.pathFilter())
        onClose()
      },
    }),
  )
  const [top] = renditions
  const problem = choose.error ?? frame.error
  const change = (value: number) => setSecond(Math.min(Math.max(0, Math.round(value * 10) / 10), durationSec))
  return (
    <Modal opened={opened} onClose={onClose} title="Choose a frame" size="lg">
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem.message}</Notice>}
        <div className={classes.frame} style={{ aspectRatio: top ? `${top.width} / ${top.height}` : '16 / 9' }}>
          {frame.data?.url && (
            // biome-ignore lint/performance/noImgElement: drawn by the service in the size that is needed
            <img src={frame.data.url} alt={`Frame at ${formatDuration(time)}`} onLoad={() => setDrawn(frame.data.url)} />
          )}
          {!frame.error && frame.data?.url !== drawn && <Loader className={classes.drawing} color="white" />}
        </div>
        <div className={classes.time}>
          <Slider
            thumbLabel="Time in the video"
            min={0}
            max={Math.max(durationSec, 0.1)}
            step={0.1}
            label={formatDuration}
            value={second}
            onChange={change}
          />
          <NumberInput
            aria-label="Seconds"
            suffix=" s"
            decimalScale={1}
            min={0}
            max={durationSec}
            step={1}
            value={second}
            onChange={(value) => typeof value === 'number' && change(value)}
          />
        </div>
        <Group justify="flex-end" gap="xs">
          <Button
            component="a"
            variant="default"
            href={frame.data?.url ?? undefined}
            download={`${title} ${time} s.jpg`}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconDownload size={15} />}
          >
            Download
          </Button>
          {mayChange && (
            <Button
              leftSection={<IconPhotoCheck size={15} />}
              loading={choose.isPending}
              onClick={() => choose.mutate({ videoId, time: second })}
            >
              Use as poster
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

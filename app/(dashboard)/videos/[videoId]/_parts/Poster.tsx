'use client'

import { Button, FileButton, Group } from '@mantine/core'
import { IconPhotoSearch, IconPhotoUp } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { MAX_POSTER_BYTES } from '#server/modules/videos/limits'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import { Panel } from '../../../../_ui/Panel'
import { useAskTask } from '../../../_parts/VideoMenus'
import { base64Of } from './base64'
import classes from './Poster.module.css'

interface Props {
  video: DashboardDetail
  mayChange: boolean
}

/** Chooses the image shown before the video plays. */
export function Poster({ video, mayChange }: Props) {
  const ask = useAskTask()
  const trpc = useTRPC()
  const client = useQueryClient()
  const [problem, setProblem] = useState<string>()
  const options = {
    // Also after a refusal: another member may have chosen another poster, which is shown then.
    onSettled: () => client.invalidateQueries(trpc.video.pathFilter()),
    onError: (error: { message: string }) => setProblem(error.message),
  }
  const choose = useMutation(trpc.video.choosePoster.mutationOptions(options))
  const upload = useMutation(trpc.video.uploadPoster.mutationOptions(options))

  const shown = video.posters.find((one) => one.chosen)?.name ?? null
  const send = async (file: File | null) => {
    setProblem(undefined)
    if (!file) return
    if (file.size > MAX_POSTER_BYTES) return setProblem('Choose an image of at most 2 MB.')
    upload.mutate({ videoId: video.id, image: await base64Of(file), expected: shown })
  }

  const chosen = choose.isPending ? choose.variables.name : shown
  return (
    <Panel
      title="Poster"
      action={
        <Group gap={6}>
          <Button size="compact-sm" variant="default" leftSection={<IconPhotoSearch size={14} />} onClick={() => ask(video, 'frame')}>
            Choose frame…
          </Button>
          {mayChange && (
            <FileButton accept="image/jpeg,image/png,image/webp" onChange={(file) => void send(file)}>
              {(props) => (
                <Button
                  {...props}
                  size="compact-sm"
                  variant="default"
                  leftSection={<IconPhotoUp size={14} />}
                  loading={upload.isPending}
                  // Until a choice is saved, an upload would replace a poster that this page has not loaded.
                  disabled={choose.isPending}
                >
                  Upload
                </Button>
              )}
            </FileButton>
          )}
        </Group>
      }
    >
      {problem && (
        <div className={classes.problem}>
          <Notice tone="bad">{problem}</Notice>
        </div>
      )}
      <div className={classes.pictures} role="radiogroup" aria-label="Poster">
        {video.posters.map(({ name, url, uploaded }, at) => (
          <label key={name} className={classes.picture}>
            <input
              type="radio"
              name="poster"
              aria-label={uploaded ? 'Uploaded image' : `Frame ${at + 1} of the video`}
              checked={name === chosen}
              disabled={!mayChange}
              onChange={() => {
                setProblem(undefined)
                choose.mutate({ videoId: video.id, name, expected: shown })
              }}
            />
            {/* biome-ignore lint/performance/noImgElement: it is small already, and loads from the media's own address */}
            <img src={url} alt="" loading="lazy" />
          </label>
        ))}
      </div>
    </Panel>
  )
}

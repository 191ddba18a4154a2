'use client'

import {
  ColorInput,
  Modal,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { LANGUAGES } from '../../../_parts/player/languages'
import { readTime } from '../../../_parts/player/read-time'
import { useTRPC } from '../../../_trpc/client'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { Link } from '../../../_ui/Link'
import { languageName } from '../../../_ui/language-name'
import { Notice } from '../../../_ui/Notice'
import classes from './EmbedDialog.module.css'
import { ALLOW, type EmbedOptions, elementCode, frameCode, parametersOf } from './embed-code'

const DEFAULTS: EmbedOptions = {
  ...{ autoplay: false, muted: false, loop: false, title: true },
  ...{ start: '', lang: '', captions: '', transcript: false, color: '', width: null },
}
/** A token can be exchanged for 5 minutes. */
const TOKEN_MS = 240_000

interface Props {
  video: Pick<DashboardDetail, 'id' | 'title' | 'captions' | 'renditions'>
  opened: boolean
  onClose: () => void
}

/** Builds the code that embeds the player, next to the player with the same options. */
export function EmbedDialog({ video, opened, onClose }: Props) {
  const [options, setOptions] = useState(DEFAULTS)
  const set = (changes: Partial<EmbedOptions>) => setOptions((before) => ({ ...before, ...changes }))
  const [top] = video.renditions
  const ratio = top ? `${top.width} / ${top.height}` : '16 / 9'
  const isTime = options.start === '' || readTime(options.start) !== undefined
  const asked = { ...options, start: isTime ? options.start : '' }
  const trpc = useTRPC()
  // The player's own origin is part of its address.
  const preview = useQuery(trpc.viewing.preview.queryOptions({ videoId: video.id }, { enabled: opened, staleTime: TOKEN_MS }))
  const sdkUrl = preview.data?.playerUrl.split('/embed/')[0] ?? ''
  const code = { videoId: video.id, sdkUrl, ratio, options: asked }
  return (
    <Modal opened={opened} onClose={onClose} title={`Embed “${video.title}”`} size={880}>
      <div className={classes.columns}>
        <Stack gap="sm">
          <SimpleGrid cols={2} spacing="sm" verticalSpacing="sm">
            <Switch label="Autoplay" checked={options.autoplay} onChange={(event) => set({ autoplay: event.currentTarget.checked })} />
            <Switch label="Muted" checked={options.muted} onChange={(event) => set({ muted: event.currentTarget.checked })} />
            <Switch label="Loop" checked={options.loop} onChange={(event) => set({ loop: event.currentTarget.checked })} />
            <Switch label="Show title" checked={options.title} onChange={(event) => set({ title: event.currentTarget.checked })} />
            <Switch
              label="Transcript"
              checked={options.transcript}
              onChange={(event) => set({ transcript: event.currentTarget.checked })}
            />
          </SimpleGrid>
          {options.autoplay && !options.muted && (
            <Text size="xs" c="dimmed">
              Browsers autoplay audio only once the viewer has interacted with the page. Until then, the player starts muted.
            </Text>
          )}
          {options.transcript && video.captions.length === 0 && (
            <Text size="xs" c="dimmed">
              Viewers can open the transcript once this video has captions.
            </Text>
          )}
          <SimpleGrid cols={2} spacing="sm">
            <TextInput
              label="Start time"
              placeholder="1:30"
              value={options.start}
              error={!isTime && 'Enter seconds, or a time such as 1:30.'}
              onChange={(event) => set({ start: event.currentTarget.value.trim() })}
            />
            <ColorInput
              label="Accent color"
              placeholder="Default"
              format="hex"
              withEyeDropper={false}
              value={options.color}
              onChange={(color) => set({ color: /^#[0-9a-f]{6}$/i.test(color) || color === '' ? color : options.color })}
            />
            <Select
              label="Language"
              placeholder="Browser language"
              data={Object.keys(LANGUAGES).map((value) => ({ value, label: languageName(value) }))}
              value={options.lang || null}
              onChange={(lang) => set({ lang: lang ?? '' })}
              clearable
            />
            <Select
              label="Captions"
              placeholder={video.captions.length > 0 ? 'Off by default' : 'No captions'}
              data={video.captions.map(({ language, label }) => ({ value: language, label }))}
              disabled={video.captions.length === 0}
              value={options.captions || null}
              onChange={(captions) => set({ captions: captions ?? '' })}
              clearable
            />
          </SimpleGrid>
          <div>
            <Text size="sm" fw={500} mb={4} id="embed-size">
              Size
            </Text>
            <div className={classes.size}>
              <SegmentedControl
                aria-labelledby="embed-size"
                data={[
                  { value: 'responsive', label: 'Responsive' },
                  { value: 'fixed', label: 'Fixed width' },
                ]}
                value={options.width === null ? 'responsive' : 'fixed'}
                onChange={(size) => set({ width: size === 'fixed' ? 640 : null })}
              />
              {options.width !== null && (
                <NumberInput
                  aria-label="Width in pixels"
                  suffix=" px"
                  min={200}
                  max={3840}
                  allowDecimal={false}
                  value={options.width}
                  onChange={(width) => set({ width: Number(width) || 640 })}
                  w={110}
                />
              )}
            </div>
          </div>
        </Stack>
        <LivePreview videoId={video.id} ratio={ratio} parameters={parametersOf(asked)} />
      </div>
      <Tabs defaultValue="frame" mt="lg" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="frame">iframe</Tabs.Tab>
          <Tabs.Tab value="element">Web component</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="frame">
          <CodeBlock label="HTML" code={frameCode(code)} />
        </Tabs.Panel>
        <Tabs.Panel value="element">
          <CodeBlock label="HTML" code={elementCode(code)} />
        </Tabs.Panel>
      </Tabs>
      <Text size="sm" c="dimmed" mt="sm">
        For each viewer, your backend requests a token, valid for 5 minutes, with its API key, and replaces{' '}
        <code>{'<PLAYBACK_TOKEN>'}</code> with it. To show a video without a backend, create a share link instead.{' '}
        <Link href="/docs/player" className={classes.more}>
          All parameters and events
        </Link>
      </Text>
    </Modal>
  )
}

/** The player with the chosen options; it is not counted as a view. */
function LivePreview({ videoId, ratio, parameters }: { videoId: string; ratio: string; parameters: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [settled] = useDebouncedValue(parameters, 400)
  const [shown, setShown] = useState<{ src?: string; problem?: string }>({})
  useEffect(() => {
    let current = true
    client.fetchQuery(trpc.viewing.preview.queryOptions({ videoId }, { staleTime: TOKEN_MS })).then(
      ({ playerUrl }) => {
        const address = new URL(playerUrl)
        address.searchParams.delete('title')
        for (const [name, value] of new URLSearchParams(settled)) address.searchParams.set(name, value)
        if (current) setShown({ src: address.href })
      },
      (error: { message: string }) => current && setShown({ problem: error.message }),
    )
    return () => {
      current = false
    }
  }, [client, trpc, videoId, settled])
  if (shown.problem) return <Notice tone="bad">{shown.problem}</Notice>
  return (
    <div className={classes.preview} style={{ aspectRatio: ratio }}>
      {shown.src ? (
        <iframe src={shown.src} title="Preview of the embedded player" allow={ALLOW} allowFullScreen />
      ) : (
        <Skeleton height="100%" />
      )}
    </div>
  )
}

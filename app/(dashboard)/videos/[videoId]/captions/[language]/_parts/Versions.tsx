import { Button, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { CaptionsVersion } from '#server/modules/videos/captions/draft-schema'
import { captionCount } from '../../../../../../_parts/captions/caption-count'
import { useTRPC } from '../../../../../../_trpc/client'
import { ErrorState } from '../../../../../../_ui/page/ErrorState'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import { blocksOf, useNear } from './blocks'
import { type Cue, formatTime, parseVtt } from './cue-document'
import classes from './Versions.module.css'

interface Props {
  opened: boolean
  onClose: () => void
  asked: { videoId: string; language: string }
  versions: readonly CaptionsVersion[]
  /** Takes a version's text into the draft. */
  onRestore: (text: string, did: string) => void
}

const KINDS: Record<CaptionsVersion['kind'], string> = {
  generated: 'Generated from speech',
  uploaded: 'Uploaded',
  edited: 'Edited',
  source: 'From the video file',
}

/** Lists the versions that are kept, to look at one and take it into the draft. */
export function Versions({ opened, onClose, asked, versions, onRestore }: Props) {
  const [shown, setShown] = useState<CaptionsVersion>()
  const isPhone = useMediaQuery('(width < 48em)')
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={isPhone ? '100%' : 460}
      title="Version history"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {shown ? (
        <Version
          asked={asked}
          version={shown}
          onBack={() => setShown(undefined)}
          onRestore={(text) => {
            onClose()
            onRestore(text, `Loaded version ${shown.number}`)
          }}
        />
      ) : versions.length === 0 ? (
        <Text size="sm" c="dimmed">
          No versions yet. Each time the published captions change, we keep the previous version.
        </Text>
      ) : (
        <ol className={classes.list}>
          {versions.map((version) => (
            <li key={version.number} className={classes.version}>
              <Summary version={version} />
              <Button size="compact-sm" variant="default" aria-label={`View version ${version.number}`} onClick={() => setShown(version)}>
                View
              </Button>
            </li>
          ))}
        </ol>
      )}
    </Drawer>
  )
}

function Summary({ version: { number, kind, by, at, cues, isCurrent } }: { version: CaptionsVersion }) {
  return (
    <div className={classes.summary}>
      <div>
        Version {number} · {KINDS[kind]}
        {isCurrent && <span className={classes.current}>Published</span>}
      </div>
      <div className={classes.note}>
        {by && `${by}, `}
        <RelativeTime date={at} /> · {captionCount(cues)}
      </div>
    </div>
  )
}

interface VersionProps {
  asked: Props['asked']
  version: CaptionsVersion
  onBack: () => void
  onRestore: (text: string) => void
}

function Version({ asked, version, onBack, onRestore }: VersionProps) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(
    trpc.captions.version.queryOptions({ ...asked, number: version.number }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const blocks = useMemo(() => blocksOf(parseVtt(data?.text ?? '')), [data])
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Button size="compact-sm" variant="subtle" color="gray" leftSection={<IconChevronLeft size={14} />} data-autofocus onClick={onBack}>
          All versions
        </Button>
        <Button size="compact-sm" disabled={!data} onClick={() => data && onRestore(data.text)}>
          Use in the draft
        </Button>
      </Group>
      <Summary version={version} />
      {error && <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={240} role="status" aria-label="Loading" />}
      {data && (
        <section aria-label={`Captions of version ${version.number}`}>
          {blocks.map(({ from, block }) => (
            <Block key={from} number={from + 1} cues={block} />
          ))}
        </section>
      )}
    </Stack>
  )
}

/** The height of most captions, in pixels. */
const ROW_PX = 32

function Block({ number, cues }: { number: number; cues: readonly Cue[] }) {
  const list = useRef<HTMLOListElement>(null)
  const { isNear, height } = useNear(list, number === 1)
  return (
    <ol ref={list} start={number} className={classes.cues} style={{ minHeight: isNear ? undefined : (height ?? cues.length * ROW_PX) }}>
      {isNear &&
        cues.map(({ id, startMs, text }) => (
          <li key={id}>
            <span>{formatTime(startMs)}</span>
            <span>{text}</span>
          </li>
        ))}
    </ol>
  )
}

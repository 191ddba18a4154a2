'use client'

import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconDownload, IconPencil, IconPlus, IconSparkles, IconTrash } from '@tabler/icons-react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { formatCount } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { useAskTask } from '../../../_parts/VideoMenus'
import { useCaptions } from '../../../_parts/videos/use-captions'
import classes from './Captions.module.css'
import { Transcriptions } from './Transcriptions'

/** Lists captions by language, to add, generate, edit, replace and remove. */
export function Captions({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const ask = useAskTask()
  const { remove } = useCaptions(video.id)
  const mayGenerate = mayChange && video.status === 'COMPLETED'
  return (
    <Panel
      title="Captions"
      action={
        mayChange && (
          <Group gap="xs">
            {mayGenerate && !video.speechOff && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconSparkles size={14} />}
                onClick={() => ask(video, 'generate')}
                aria-label="Generate captions"
              >
                Generate
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => ask(video, 'captions')}
              aria-label="Add captions"
            >
              Add
            </Button>
          </Group>
        )
      }
    >
      {video.captions.length === 0 ? (
        <Text size="sm" c="dimmed">
          No captions yet.{mayChange && ' Add a WebVTT or SRT file for each language.'}
        </Text>
      ) : (
        <ul className={classes.list}>
          {video.captions.map(({ language, label, cues, url, generated, edited }) => (
            <li key={language} className={classes.row}>
              <div className={classes.text}>
                <div>{label}</div>
                <div className={classes.note}>
                  <code>{language}</code> · {formatCount(cues)} {cues === 1 ? 'line' : 'lines'}
                  {generated && ` · ${edited ? 'Edited' : 'Generated'}`}
                </div>
              </div>
              {url && (
                <ActionIcon component="a" href={url} target="_blank" variant="subtle" color="gray" aria-label={`Open ${label}`}>
                  <IconDownload size={16} />
                </ActionIcon>
              )}
              {mayChange && (
                <ActionIcon
                  component={Link}
                  href={`/videos/${video.id}/captions/${language}`}
                  variant="subtle"
                  color="gray"
                  aria-label={`Edit ${label}`}
                >
                  <IconPencil size={16} />
                </ActionIcon>
              )}
              {mayChange && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${label}`}
                  loading={remove.isPending && remove.variables.language === language}
                  onClick={() => remove.mutate({ videoId: video.id, language })}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      <Transcriptions videoId={video.id} />
      {mayGenerate && video.speechOff && (
        <Text size="xs" c="dimmed" mt="sm">
          {video.speechOff}
        </Text>
      )}
    </Panel>
  )
}

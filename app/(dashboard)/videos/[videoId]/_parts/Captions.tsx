'use client'

import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconDownload, IconPencil, IconPlus, IconSparkles, IconTrash } from '@tabler/icons-react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { captionCount } from '../../../../_parts/captions/caption-count'
import { isOpen, TranscriptionList } from '../../../../_parts/processing/TranscriptionList'
import { Link } from '../../../../_ui/Link'
import { languageName } from '../../../../_ui/language-name'
import { Panel } from '../../../../_ui/Panel'
import { useAskTask } from '../../../_parts/VideoMenus'
import { useCaptions } from '../../../_parts/videos/use-captions'
import classes from './Captions.module.css'
import { useTranscriptions } from './use-transcriptions'

/** Lists captions by language, to add, generate, edit, replace and remove. */
export function Captions({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const ask = useAskTask()
  const { remove } = useCaptions(video.id)
  const mayGenerate = mayChange && video.status === 'COMPLETED'
  const requests = useTranscriptions(video.id)
  const isEmpty = video.captions.length + video.captionDrafts.length === 0
  const begun = video.captionDrafts.filter((language) => video.captions.every((one) => one.language !== language))
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
      {isEmpty && !requests.some(isOpen) && (
        <Text size="sm" c="dimmed">
          No captions yet.
          {mayChange &&
            (mayGenerate && !video.speechOff
              ? ' Generate them from the speech, or add a WebVTT or SRT file for each language.'
              : ' Add a WebVTT or SRT file for each language.')}
        </Text>
      )}
      {!isEmpty && (
        <ul className={classes.list}>
          {video.captions.map(({ language, label, cues, url, generated, edited }) => (
            <li key={language} className={classes.row}>
              <div className={classes.text}>
                <div>{label}</div>
                <div className={classes.note}>
                  <code>{language}</code> · {captionCount(cues)}
                  {generated && ` · ${edited ? 'Edited' : 'Generated'}`}
                  {video.captionDrafts.includes(language) && <Draft />}
                </div>
              </div>
              {url && (
                <ActionIcon component="a" href={url} target="_blank" variant="subtle" color="gray" aria-label={`Open ${label}`}>
                  <IconDownload size={16} />
                </ActionIcon>
              )}
              {mayChange && <Edit videoId={video.id} language={language} label={label} />}
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
          {begun.map((language) => (
            <li key={language} className={classes.row}>
              <div className={classes.text}>
                <div>{languageName(language)}</div>
                <div className={classes.note}>
                  <code>{language}</code>
                  <Draft />
                </div>
              </div>
              {mayChange && <Edit videoId={video.id} language={language} label={languageName(language)} />}
            </li>
          ))}
        </ul>
      )}
      {requests.length > 0 && (
        <div className={isEmpty && requests.some(isOpen) ? undefined : classes.requests}>
          <TranscriptionList transcriptions={requests} />
        </div>
      )}
      {mayGenerate && video.speechOff && (
        <Text size="xs" c="dimmed" mt="sm">
          {video.speechOff}
        </Text>
      )}
    </Panel>
  )
}

const Draft = () => (
  <>
    {' · '}
    <span className={classes.draft}>Unpublished draft</span>
  </>
)

const Edit = ({ videoId, language, label }: { videoId: string; language: string; label: string }) => (
  <ActionIcon component={Link} href={`/videos/${videoId}/captions/${language}`} variant="subtle" color="gray" aria-label={`Edit ${label}`}>
    <IconPencil size={16} />
  </ActionIcon>
)

import type { Metadata } from 'next'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Processing of a video' }

const CALL = `curl -s "$REELGATE_URL/v1/video/vid_3kTMd9cXv0dRr1gB7JmQeA/processing" \\
  -H "x-service-key: $REELGATE_API_KEY"`

const RESPONSE = `{
  "success": true,
  "data": {
    "videoId": "vid_3kTMd9cXv0dRr1gB7JmQeA",
    "status": "PROCESSING",
    "stage": "encoding",
    "failureReason": null,
    "queue": null,
    "estimate": { "seconds": 40, "low": 32, "high": 55 },
    "progress": 0.6,
    "chunksDone": 1,
    "chunks": [
      { "position": 0, "startSec": 0, "endSec": 40, "state": "done", "progress": 1, "worker": "worker 1", … },
      { "position": 1, "startSec": 40, "endSec": 80, "state": "running", "progress": 0.2, "worker": "worker 2", … }
    ],
    "audio": [{ "position": 0, "name": "English", "language": "en", "state": "done", "progress": 1, … }],
    "copy": { "quality": "1080p", "kept": true, "state": "done", "progress": 1, … },
    "lastProgressAt": "2026-11-21T09:00:31.000Z",
    "tries": [
      { "part": "chunk", "position": 1, "failures": 0, "losses": 1, "reason": "The worker stopped responding." }
    ],
    "action": { "code": "none", "text": "Nothing to do. It continues automatically." },
    "pictureQuality": {
      "target": "standard",
      "isFound": true,
      "renditions": [{ "quality": "720p", "rateFactor": 26.5, "vmafMean": 93.2, "vmafP5": 90.1 }]
    },
    "warnings": [],
    "playableSince": "2026-11-21T09:00:02.000Z"
  }
}`

const STAGES = [
  { stage: 'queued', status: 'PENDING, PROCESSING', meaning: 'It waits for a worker. The field queue states what comes before it.' },
  { stage: 'analyzing', status: 'PENDING, PROCESSING', meaning: 'A worker reads the length, the tracks and the key frames of the file.' },
  { stage: 'encoding', status: 'PROCESSING', meaning: 'Chunks of the picture and the audio tracks are encoded, by one or more workers.' },
  { stage: 'finishing', status: 'PROCESSING', meaning: 'All parts are encoded. Posters and seek previews are made.' },
  { stage: 'completed', status: 'COMPLETED', meaning: 'All renditions are available.' },
  { stage: 'failed', status: 'FAILED', meaning: 'It cannot be encoded. The field failureReason states why.' },
]

const FIELDS = [
  {
    name: 'queue',
    meaning:
      'Why no part is running: the position (1 is next), the number of your videos and of turns of other accounts that come before it, and a sentence. Null while a part is running.',
  },
  {
    name: 'estimate',
    meaning:
      'Seconds left. Eight of ten recent videos ended between low and high. Null until the file is analyzed, and while no speed was measured.',
  },
  {
    name: 'chunks',
    meaning: 'The parts of the picture in order: waiting, running, retrying (begun before, waits for its next try) or done.',
  },
  {
    name: 'copy',
    meaning:
      'The highest rendition of a file whose picture players accept as it is (H.264 up to 1080p with regular key frames). It is copied first, within seconds, so that the video can be watched. If its rate is above the limit of the rendition, kept is false and an encoded one replaces it in the end. Null for other files.',
  },
  { name: 'worker', meaning: 'A label that is valid within one response. Equal labels are the same worker.' },
  { name: 'tries', meaning: 'Parts that failed or whose worker was lost, with the reason. A part is tried three times.' },
  { name: 'action', meaning: 'What you can do: none, retry, upload (a corrected file) or operator (ask the operator of this service).' },
  {
    name: 'pictureQuality',
    meaning:
      'The rate factors with which the renditions reach the picture quality of the video, and the quality of its samples. Null where every rendition has the usual rate factor. It stays when the video is COMPLETED.',
  },
  {
    name: 'warnings',
    meaning:
      'Parts of the file that could not be decoded, with their place in seconds and what is played instead, and tracks of sound and captions that the video does not have, with the reason. They stay when the video is COMPLETED.',
  },
  { name: 'playableSince', meaning: 'Since when the video can be watched; it may be before COMPLETED.' },
]

const wrapped = (text: string) => <span style={{ whiteSpace: 'normal' }}>{text}</span>

export default function ProcessingGuide() {
  return (
    <Guide
      href="/docs/processing"
      title="Processing of a video"
      lead="See where a video is between its upload and COMPLETED, how long it takes, and what to do if it does not continue."
    >
      <Section id="request" title="Request">
        <p>
          The endpoint requires the scope <code>video:read</code>. It is an addition to version 1. To learn only when a video is complete,
          poll <code>GET /v1/video/{'{videoId}'}</code> or use <a href="/docs/webhooks">webhooks</a>.
        </p>
        <Snippet label="Shell" code={CALL} />
        <Snippet label="Response" code={RESPONSE} />
      </Section>
      <Section id="stages" title="Stages">
        <Table
          label="Stages"
          rows={STAGES}
          keyOf={({ stage }) => stage}
          columns={[
            { title: 'Stage', cell: ({ stage }) => <code>{stage}</code>, phone: 'wide' },
            { title: 'Status', cell: ({ status }) => wrapped(status), phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => wrapped(meaning), phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="fields" title="Fields">
        <Table
          label="Fields"
          rows={FIELDS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Field', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => wrapped(meaning), phone: 'wide' },
          ]}
        />
        <p>
          Accounts take turns. A long queue of another account delays your video by its turns only, and the response names no other account.
        </p>
      </Section>
      <Section id="picture-quality" title="Picture quality">
        <p>
          An easy picture needs fewer bytes than a hard one to look as good. The service therefore encodes short samples of each video with
          several rate factors, measures them by VMAF (0 to 100), and encodes the video with the one that reaches the picture quality:{' '}
          <code>economy</code> (a mean of 89), <code>standard</code> (93) or <code>high</code> (95.5), or numbers of your own, such as{' '}
          <code>{'{ "vmafMean": 94, "vmafP5": 89 }'}</code>: the mean, and what 19 of 20 pictures shall reach. The owner of an account
          chooses it in <b>Settings</b>, and <code>pictureQuality</code> of <code>POST /v1/upload</code> and{' '}
          <code>POST /v1/video/import</code> for one video. The limits of the renditions stay in force.
        </p>
        <p>
          The first chunks do not wait for the samples, so the video can be watched as early as otherwise. Videos of less than about a
          minute, HDR and interlaced videos, and pictures that are encoded by hardware have the usual rate.
        </p>
      </Section>
      <Section id="av1" title="AV1 and a slower preset">
        <p>
          Every video is encoded in H.264 first, with the fast preset <code>veryfast</code> of x264. Once viewers have watched it for some
          hours, which the operator sets, we encode it in AV1 as well, which needs about half the bytes for the same picture. After more
          hours we encode H.264 again with the preset <code>medium</code>, which needs about a tenth fewer bytes for the same picture.
        </p>
        <p>
          The page of the video says after how many watched hours, and how many there are so far. The hours come from the reports of the
          embed player, which <b>Viewers</b> shows as well. Encoding starts while no other video is being processed, and the video plays
          meanwhile. What saves too little is dropped. Players choose AV1 where the device decodes it well.
        </p>
      </Section>
      <Section id="delivered" title="Delivered bytes">
        <p>
          The bytes of each video that were delivered are counted by UTC day, codec and rendition; sound is counted apart. The page of the
          video shows them, the page <b>Usage</b> those of the account, and the statement of a month those of the month. They have no price.
        </p>
        <p>
          What AV1 saved is what the same renditions take in H.264 at equal quality, less what was delivered of them in AV1. What a CDN
          sends from its cache is not counted, nor are downloads.
        </p>
      </Section>
      <Section id="dashboard" title="In the dashboard">
        <p>
          The page of a video shows the same, live. While it is processed and its beginning is encoded, <b>Watch now</b> plays what is
          available.
        </p>
      </Section>
    </Guide>
  )
}

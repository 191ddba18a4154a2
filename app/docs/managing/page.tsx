import type { Metadata } from 'next'
import { EXPANSIONS } from '#server/modules/transcoding/expanded-schema'
import { MAX_EXTERNAL_ID, MAX_METADATA_KEYS, MAX_METADATA_NAME, MAX_METADATA_VALUE } from '#server/modules/videos/metadata-schema'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Manage videos' }

const VIDEO = '$REELGATE_URL/v1/video/vid_3kTMd9cXv0dRr1gB7JmQeA'
const KEY = '-H "x-service-key: $REELGATE_API_KEY"'

const PATCH = `curl -s -X PATCH "${VIDEO}" ${KEY} \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Lesson 4", "externalId": "lesson-4", "metadata": {"course": "physics-1", "draft": null}}'`

const MATCH = `curl -s -i "${VIDEO}" ${KEY}              # ETag: "u6cNRYCWcmHIuVkCWBOYRA"
curl -s -X PATCH "${VIDEO}" ${KEY} \\
  -H "Content-Type: application/json" -H 'If-Match: "u6cNRYCWcmHIuVkCWBOYRA"' \\
  -d '{"title": "Lesson 4"}'                     # 412 if the video has changed since`

const EXPAND = `curl -s "${VIDEO}?expand=metadata,storage" ${KEY}`

const EXPANDED = `{
  "success": true,
  "data": {
    "id": "vid_3kTMd9cXv0dRr1gB7JmQeA",
    "title": "Lesson 4",
    …
    "metadata": { "course": "physics-1" },
    "externalId": "lesson-4",
    "storage": {
      "originalBytes": 73400320,
      "renditionBytes": 51380224,
      "captionBytes": 18230,
      "pictureBytes": 204800,
      "totalBytes": 125003574
    }
  }
}`

const DELETE = `curl -s -X DELETE "${VIDEO}" ${KEY}
curl -s -X POST "${VIDEO}/restore" ${KEY}        # within 7 days`

const FILES = `curl -s "${VIDEO}/captions" ${KEY}
curl -s -T lesson-4.en.vtt "${VIDEO}/captions/en?label=English" ${KEY}
curl -s -X DELETE "${VIDEO}/captions/en" ${KEY}
curl -s -T lesson-4.jpg "${VIDEO}/poster" ${KEY}`

const DOWNLOAD = `curl -s -X POST "${VIDEO}/download" ${KEY} \\
  -H "Content-Type: application/json" -d '{"quality": "720p"}'`

const SOURCE = `curl -s -X PUT "${VIDEO}/source" ${KEY}   # {"data": {"uploadId": …, "uploadUrl": …}}
curl -s -T lesson-4-corrected.mp4 "$UPLOAD_URL"
curl -s "$REELGATE_URL/v1/upload/$UPLOAD_ID" ${KEY}`

const CANCEL_SOURCE = `curl -s -X DELETE "${VIDEO}/source" ${KEY}   # {"data": {"cancelled": true}}`

const SOURCE_URL = `curl -s -X PUT "${VIDEO}/source" ${KEY} \\
  -H "Content-Type: application/json" \\
  -d '{"url": "https://storage.example.com/lesson-4-corrected.mp4"}'`

const PARTS: Record<(typeof EXPANSIONS)[number], string> = {
  metadata: 'metadata and externalId.',
  collections: 'Id and name of each collection that the video is in.',
  processing: 'The state of processing, as /processing returns it. A page of the list then has at most 100 videos.',
  storage: 'The stored bytes of the original, the renditions, the captions and the pictures.',
  pictures: 'Signed URLs of the poster and the storyboard.',
  downloads: 'How often downloads of its files have begun, in total and by file.',
}

export default function Managing() {
  return (
    <Guide
      href="/docs/managing"
      title="Manage videos"
      lead="Name, find, change and delete videos from your server. These endpoints require the scope video:write and are additions to version 1."
    >
      <Section id="change" title="Change a video">
        <p>
          Send the values that change; others stay. <code>metadata</code> holds up to {MAX_METADATA_KEYS} texts of up to{' '}
          {MAX_METADATA_VALUE} characters, by names of up to {MAX_METADATA_NAME} characters. It is merged by name: a value of{' '}
          <code>null</code> or an empty text removes the name, and <code>null</code> in place of the object removes all.{' '}
          <code>externalId</code> is your own id of the video, up to {MAX_EXTERNAL_ID} characters, unique among the videos of the account
          that are not deleted. An id that another video has fails with <a href="/docs/errors#EXTERNAL_ID_IN_USE">EXTERNAL_ID_IN_USE</a>.
        </p>
        <Snippet label="Shell" code={PATCH} />
        <p>
          The response is the Video object. To avoid overwriting a change that you have not seen, send the <code>ETag</code> of the video in{' '}
          <code>If-Match</code>. It covers <code>metadata</code> and <code>externalId</code> too, also when it comes from a response with{' '}
          <code>expand</code>. If the video has changed since, the request fails with{' '}
          <a href="/docs/errors#PRECONDITION_FAILED">PRECONDITION_FAILED</a>: read the video again and repeat the change. The status of a
          video is part of it, so while it is processed its ETag changes.
        </p>
        <Snippet label="Shell" code={MATCH} />
      </Section>
      <Section id="expand" title="Read more of a video">
        <p>
          <code>expand</code> adds parts to the Video object, on one video and on the list. On the list it enables pagination, with 100
          videos per page unless <code>limit</code> is given.
        </p>
        <Table
          label="Expansions"
          rows={EXPANSIONS.map((name) => ({ name, adds: PARTS[name] }))}
          keyOf={({ name }) => name}
          columns={[
            { title: 'expand', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Adds', cell: ({ adds }) => <span style={{ whiteSpace: 'normal' }}>{adds}</span>, phone: 'wide' },
          ]}
        />
        <Snippet label="Shell" code={EXPAND} />
        <Snippet label="Response" code={EXPANDED} />
      </Section>
      <Section id="delete" title="Delete and restore">
        <p>
          A deleted video is refused at once everywhere: reads, tokens, playlists and keys. For 7 days, it can be restored unchanged,
          through the API or in the dashboard; then its media is purged. The response states until when. Both requests can be repeated: a
          second <code>DELETE</code> within the 7 days returns the same response, and <code>restore</code> returns a video that is not
          deleted as it is.
        </p>
        <Snippet label="Shell" code={DELETE} />
      </Section>
      <Section id="files" title="Captions and poster">
        <p>
          Send a WebVTT or SRT file in UTF-8, or in UTF-16 with a byte order mark, as the body, with the language as a BCP 47 tag. It
          replaces the captions in this language. <code>GET</code> lists the languages of a video, with those that were found in its file. A
          poster is a JPEG, PNG or WebP file of at most 2 MB. Send files uncompressed, with their own media type,{' '}
          <code>application/octet-stream</code>, or none.
        </p>
        <Snippet label="Shell" code={FILES} />
      </Section>
      <Section id="source" title="Replace the source">
        <p>
          A video gets a new file and keeps its id, texts, metadata, collections, statistics and the captions and poster that you uploaded.
          The response is an <a href="/docs/uploads">upload</a>, whose URL needs no API key.
        </p>
        <Snippet label="Shell" code={SOURCE} />
        <p>
          With <code>url</code>, a worker downloads the file, and <code>uploadUrl</code> is null:
        </p>
        <Snippet label="Shell" code={SOURCE_URL} />
        <p>
          The video stays as it is, and tokens are issued for it, until all renditions of the new file are complete. Then it switches to
          them, and <code>video.processing.completed</code> is emitted. A viewer who is watching stays on the former renditions until the
          playback session ends; they are then removed, and count as stored until then. A <code>FAILED</code> video becomes{' '}
          <code>COMPLETED</code>.
        </p>
        <p>
          A file that cannot be transcoded changes nothing: the upload becomes <code>failed</code>, and <code>upload.failed</code> states
          the reason. Of two files, the one that is received last counts. Deleting the video drops a new source that is not complete. With{' '}
          <code>If-Match</code>, an upload is created only while the video is as you read it. In the dashboard, the menu of a video has
          “Replace source”.
        </p>
        <p>
          <code>GET …/processing</code> shows the new file in <code>replacement</code>: its stage, its place in the queue and the time left,
          while the rest of the response stays that of the video. <code>DELETE …/source</code> cancels it, and uploads and imports for this
          video that are open; each becomes <code>failed</code> with the code <code>CANCELLED</code>. An upload that runs in the dashboard
          is cancelled there.
        </p>
        <Snippet label="Shell" code={CANCEL_SOURCE} />
        <p>
          “Re-encode”, in the menu of a completed video, encodes its present file again with the encoder of this version, when no other
          video is being transcoded. The video keeps its renditions, unless the new ones have fewer bytes. No event is emitted;{' '}
          <code>GET …/processing</code> shows it as a <code>replacement</code> with <code>reencodes</code>.
        </p>
      </Section>
      <Section id="downloads" title="Download a file">
        <p>
          Downloads are off until an owner permits them in the settings of the account: a file is not encrypted, and its URL needs no API
          key. Without <code>quality</code>, the URL opens the original file; with it, that rendition as an MP4 with all sound and captions,
          in H.264, or with <code>{'"codec": "av1"'}</code> in AV1 where the video has it. A file that was sent without a name, or with one
          without an ending, gets that of its container.
        </p>
        <Snippet label="Shell" code={DOWNLOAD} />
        <p>
          An MP4 is prepared at its first request. Until then <code>status</code> is <code>preparing</code>: repeat the request after{' '}
          <code>retryAfterSec</code>. It is kept for a week after its last request. A URL is valid for one hour and opens one file, also in
          ranges. It stops working at once when the video is deleted or downloads are switched off. <code>expand=downloads</code> and the
          page of the video show how often a download has begun: each response that begins with the first byte counts.
        </p>
        <p>
          MP4 files do not count against the storage of the account. They have a <a href="/docs/limits">limit of their own</a>: for a new
          one, the file that was not requested for longest is removed, and made again at its next request. An MP4 that alone exceeds the
          limit is refused with <code>DOWNLOAD_TOO_LARGE</code> once its size is known, which is at a later request than the first.
        </p>
      </Section>
      <Section id="events" title="Events and the audit log">
        <p>
          The events <code>video.created</code>, <code>video.deleted</code> and <code>video.restored</code> report these changes to your{' '}
          <a href="/docs/webhooks">webhooks</a>, from a key or from the dashboard, with the <code>externalId</code> of the video. The audit
          log names the key and the values before and after.
        </p>
      </Section>
    </Guide>
  )
}

import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'
import { importSections } from './_parts/import-sections'
import { readProgram } from './_parts/programs'

export const metadata: Metadata = { title: 'Upload from the browser' }

const STATE = `curl -s "$REELGATE_URL/v1/upload/upl_7gQ2mLw0Zt4Bc9Xr1VnKpD" \\
  -H "x-service-key: $REELGATE_API_KEY"`

const STATUSES = [
  { status: 'waiting', meaning: 'No byte has arrived.' },
  { status: 'uploading', meaning: 'Some bytes have arrived: bytesReceived.' },
  { status: 'completed', meaning: 'The file is complete, and videoId is its video, which is processed now.' },
  { status: 'expired', meaning: 'It was not complete at expiresAt. What was received is removed.' },
  { status: 'failed', meaning: 'It was cancelled, or the file is not a video: failureCode and failureReason.' },
]

const REFUSALS = [
  { code: 'ORIGIN_NOT_ALLOWED', meaning: 'The page is not of allowedOrigin. Without allowedOrigin no page may use the URL.' },
  { code: 'PAYLOAD_TOO_LARGE', meaning: 'The file is larger than maxBytes. The upload still takes a smaller file.' },
  {
    code: 'INVALID_REQUEST',
    meaning:
      'The file is empty or not a video (400, in response to its last byte). The upload has failed, with the failureCode EMPTY_FILE or NOT_A_VIDEO: create another one.',
  },
  { code: 'UPLOAD_EXPIRED', meaning: 'Create another upload.' },
  { code: 'UPLOAD_FAILED', meaning: 'It was cancelled or has failed. Create another upload.' },
  { code: 'UPLOAD_CONFLICT', meaning: 'It is completed, or another connection sends it. tus clients continue then.' },
  { code: 'TOO_MANY_ATTEMPTS', meaning: 'The account has reached one of its limits, which details.limit names.' },
  { code: 'STORAGE_FULL', meaning: 'The service has no space for the file. The upload stays open.' },
  { code: 'ACCOUNT_SUSPENDED', meaning: 'The account is suspended. The upload stays open.' },
  { code: 'UPLOAD_URL_INVALID', meaning: 'The URL is not complete, or was changed.' },
  { code: 'UPLOAD_NOT_FOUND', meaning: 'The upload ended more than 30 days ago. Create another one.' },
]

const wrapped = (text: string) => <span style={{ whiteSpace: 'normal' }}>{text}</span>

export default function UploadsGuide() {
  return (
    <Guide
      href="/docs/uploads"
      title="Upload from the browser"
      lead="Let your users upload videos straight from their browser, without an API key and without bytes passing through your backend."
    >
      <Section id="backend" title="1. Create an upload in your backend">
        <p>
          The endpoint requires the scope <code>video:write</code>. It is an addition to version 1. The response contains{' '}
          <code>uploadUrl</code>, which is the only right needed to send this one file. Set <code>allowedOrigin</code> to the origin of your
          page, and <code>maxBytes</code> to the largest file that you expect.
        </p>
        <Snippet label="Node" code={readProgram('create-upload.mjs')} />
        <p>
          With an <code>Idempotency-Key</code>, a repeated request within 24 hours returns the same upload, or a new one once the first has
          failed or expired, or its video is deleted. Another body with the same value is refused with{' '}
          <a href="/docs/errors#IDEMPOTENCY_KEY_REUSED">IDEMPOTENCY_KEY_REUSED</a>.
        </p>
      </Section>
      <Section id="browser" title="2. Send the file from the browser">
        <p>
          Any client of the tus protocol works. An interrupted upload continues where it was. The response to the last byte carries{' '}
          <code>X-Video-Id</code>.
        </p>
        <Snippet label="tus-js-client" code={readProgram('upload-from-browser.js')} />
        <Snippet label="Uppy" code={readProgram('upload-with-uppy.js')} />
        <p>
          A client that expects an existing upload can use the URL as such, with the size announced later (<code>uploadUrl</code> and{' '}
          <code>uploadLengthDeferred</code> of tus-js-client). Then <code>maxBytes</code> counts against the account until the size is
          known.
        </p>
      </Section>
      <Section id="programs" title="From a program">
        <p>
          A <code>PUT</code> of the whole file works as well, with or without a length. It replaces what was received before, and responds
          with the id of the video.
        </p>
        <Snippet label="Shell" code={readProgram('upload-file.sh')} />
      </Section>
      <Section id="state" title="3. Read the state of an upload">
        <Snippet label="Shell" code={STATE} />
        <Table
          label="Statuses"
          rows={STATUSES}
          keyOf={({ status }) => status}
          columns={[
            { title: 'Status', cell: ({ status }) => <code>{status}</code>, phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => wrapped(meaning), phone: 'wide' },
          ]}
        />
        <p>
          Do not trust an id that the browser sends: request the upload by the <code>uploadId</code> that your backend stored. The{' '}
          <a href="/docs/webhooks">event</a> <code>upload.failed</code> reports an upload that was cancelled, failed or expired. After a
          completed upload, follow the <a href="/docs/processing">processing of the video</a>.
        </p>
        <p>
          <code>GET /v1/upload?status=waiting,uploading</code> lists the open uploads of the account, newest first, in{' '}
          <a href="/docs/finding#filter">pages</a>. <code>reelgate uploads</code> of the <a href="/docs/sdk">SDK</a> prints them.
        </p>
        <p>
          <code>DELETE /v1/upload/{'{uploadId}'}</code> cancels an upload and removes what was received. A revoked key does not end the
          uploads that it created: they work until they expire.
        </p>
      </Section>
      <Section id="refusals" title="Refusals of the upload URL">
        <Table
          label="Refusals"
          rows={REFUSALS}
          keyOf={({ code }) => code}
          columns={[
            { title: 'Code', cell: ({ code }) => <Anchor href={`/docs/errors#${code}`}>{code}</Anchor>, phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => wrapped(meaning), phone: 'wide' },
          ]}
        />
        <p>
          An upload that waits counts as one of the <a href="/docs/limits#uploads">unfinished uploads</a> of the account, until it is
          completed, cancelled or expired (24 hours by default). Its bytes count once the client announces them.
        </p>
      </Section>
      {importSections()}
    </Guide>
  )
}

import { IMPORT_FAILURES, RETRIED } from '#server/modules/uploads/failure-schema'
import { Table } from '../../../_ui/Table'
import { Section } from '../../_parts/Guide'
import { Snippet } from '../../_parts/Snippet'
import { readProgram } from './programs'

const S3 = `aws s3 presign s3://my-bucket/lesson-42.mp4 --expires-in 86400`

const MUX = `# Until the master is ready, poll the second request, or wait for the event video.asset.master.ready.
curl -s -X PUT "https://api.mux.com/video/v1/assets/$ASSET_ID/master-access" \\
  -u "$MUX_TOKEN_ID:$MUX_TOKEN_SECRET" -H "Content-Type: application/json" -d '{"master_access":"temporary"}'
curl -s "https://api.mux.com/video/v1/assets/$ASSET_ID" -u "$MUX_TOKEN_ID:$MUX_TOKEN_SECRET" | jq -r .data.master.url`

const CLOUDFLARE = `# Until percentComplete is 100, repeat the request.
curl -s -X POST "https://api.cloudflare.com/client/v4/accounts/$ACCOUNT_ID/stream/$VIDEO_UID/downloads" \\
  -H "Authorization: Bearer $CLOUDFLARE_TOKEN" | jq -r .result.default.url`

const FAILURES = Object.entries(IMPORT_FAILURES).map(([code, meaning]) => ({
  code,
  meaning,
  retried: (RETRIED as readonly string[]).includes(code) ? 'yes' : 'no',
}))

/** Returns the sections on imports from a URL, and on what ends an import without a video. */
export function importSections() {
  return (
    <>
      <Section id="import" title="Import from Mux, Cloudflare Stream or S3">
        <p>
          <code>POST /v1/video/import</code> takes the URL of a file in place of its bytes, and the same fields for the video. A worker
          downloads the file within 24 hours, in ranges where the server has them, and goes on where it was after an interruption. The
          import is an upload: <code>GET</code> and <code>DELETE /v1/upload/{'{uploadId}'}</code> read and cancel it.
        </p>
        <Snippet label="Node" code={readProgram('import-video.mjs')} />
        <p>
          In the dashboard, <strong>Videos → Uploads</strong> lists uploads and imports with their state, the reason of a failure and what
          to do. There, members import a file from a URL, cancel, and start a failed import again.
        </p>
        <p>
          The URL must be <code>https</code>, without a user name or password, and lead to a public address, as must each of its redirects
          (5 at most). A signed URL should be valid for as long as the download and its retries may take. It is stored encrypted, deleted
          when the import ends, and never shown; logs and the audit log contain its host and path only.
        </p>
        <p>
          For many files, use the command of the <a href="/docs/sdk">SDK</a>: <code>reelgate import --from urls.csv</code>, or{' '}
          <code>--from s3://bucket/prefix</code>. It works on several at a time, lists what failed with its reason, and does only what is
          left when it runs again. The CSV file is UTF-8, or UTF-16 with a byte order mark; commas, semicolons or tabs separate its values,
          and its first line names the columns <code>url</code>, <code>title</code>, <code>description</code>, <code>externalId</code> and{' '}
          <code>targetQuality</code>, of which only <code>url</code> is required. A file with a mistake is refused as a whole, with the
          line.
        </p>
        <Snippet label="S3 and compatible stores" code={S3} />
        <Snippet label="Mux: the master of an asset, valid for 24 hours" code={MUX} />
        <Snippet label="Cloudflare Stream: the MP4 of a video" code={CLOUDFLARE} />
      </Section>
      <Section id="import-failures" title="Failures of an import">
        <p>
          They are <code>failureCode</code> of the upload, and <code>code</code> of the event <code>upload.failed</code>. Those that may
          pass are retried first, for about ten minutes without progress. Meanwhile <code>retry</code> of the upload states the last
          failure, and <code>nextAttemptAt</code>. <code>CANCELLED</code>, <code>EXPIRED</code>, <code>EMPTY_FILE</code> and{' '}
          <code>NOT_A_VIDEO</code> mean the same as for any upload.
        </p>
        <Table
          label="Failures of an import"
          rows={FAILURES}
          keyOf={({ code }) => code}
          columns={[
            { title: 'Code', cell: ({ code }) => <code>{code}</code>, phone: 'wide' },
            { title: 'Meaning', cell: ({ meaning }) => <span style={{ whiteSpace: 'normal' }}>{meaning}</span>, phone: 'wide' },
            { title: 'Retried', cell: ({ retried }) => retried },
          ]}
        />
      </Section>
    </>
  )
}

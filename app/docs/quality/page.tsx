import type { Metadata } from 'next'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Quality receipts' }

const VIDEO = 'vid_3kTMd9cXv0dRr1gB7JmQeA'
const CALL = `curl -s "$REELGATE_URL/v1/video/${VIDEO}/quality" \\
  -H "x-service-key: $REELGATE_API_KEY" -o quality.json`

const VERIFY = `curl -s "$REELGATE_URL/.well-known/jwks.json" -o jwks.json
npx -p @reelgate/sdk reelgate verify-quality quality.json --jwks jwks.json \\
  --source lesson.mp4 --segments segments --key content.key
# Valid. Signed by https://video.example.com at 2026-11-25T11:00:25.000Z for ${VIDEO}.
#   Verified: the signature
#   Verified: the source
#   Verified: 1050 segments
#   Verified: the settings of the encoder
#   Verified: the scores of 175 chunks
# 1080p: 81220417 bytes, VMAF 94.612 mean, 90.204 5th percentile, 88.91 minimum`

const FIELDS = [
  { field: 'media', means: 'ID of the media. Each codec and each new source of the video has other media, with a receipt of their own.' },
  { field: 'source', means: 'SHA-256 and bytes of the file that was uploaded, its frame rate, and the stream of its picture.' },
  {
    field: 'method',
    means: 'The metric (VMAF, default model), the version of libvmaf, and the size in which pictures were compared. Null where none were.',
  },
  {
    field: 'encodings',
    means:
      'Each way in which pictures were encoded: the encoder, the version of ffmpeg, the options, and what x264 states in the pictures about its version and settings.',
  },
  {
    field: 'chunks',
    means:
      'The parts of the video: their frames and times, how the pictures of the source are found, and in pairs which pictures were compared.',
  },
  {
    field: 'renditions[].init',
    means: 'SHA-256 and bytes of the initialization section that EXT-X-MAP names, where segments are fragmented MP4, as with AV1.',
  },
  {
    field: 'renditions[].vmaf',
    means: 'Mean, 5th percentile and minimum of the scores of all pictures that were compared, and their number.',
  },
  {
    field: 'renditions[].chunks[]',
    means: 'For each part: the place in encodings, bytes, scores, and the SHA-256 and bytes of each segment as it is delivered.',
  },
  { field: 'notMeasured', means: 'Why there are no scores. Hashes and bytes are stated all the same.' },
]

const STATES = [
  { field: 'VIDEO_NOT_READY', means: 'The video is not COMPLETED.' },
  {
    field: 'QUALITY_RECEIPT_NOT_READY',
    means: 'It is being measured: details.chunksDone of details.chunks are done. Try again in some minutes.',
  },
  {
    field: 'QUALITY_RECEIPT_NOT_FOUND',
    means: 'The service makes no receipts, or none of these media, as after a repair that encoded again.',
  },
]

const columns = (title: string) => [
  { title, cell: ({ field }: { field: string }) => <code>{field}</code>, phone: 'wide' as const },
  { title: 'Meaning', cell: ({ means }: { means: string }) => means, phone: 'wide' as const },
]

export default function Quality() {
  return (
    <Guide
      href="/docs/quality"
      title="Quality receipts"
      lead="A signed statement of how each rendition was encoded, which bytes it consists of, and how well it shows its source."
    >
      <Section id="get" title="Get a receipt">
        <p>
          A worker measures a video after it is <code>COMPLETED</code>, while nothing is transcoded. The page of the video then shows the
          scores over its length and offers the receipt as a file. The API returns it to a key with <code>video:read</code>.
        </p>
        <Snippet label="Shell" code={CALL} />
        <p>
          A video that plays in AV1 as well has a second receipt, about these renditions: <code>?codec=av1</code>.
        </p>
        <Table label="Responses without a receipt" columns={columns('Code')} rows={STATES} keyOf={({ field }) => field} />
      </Section>
      <Section id="content" title="What it states">
        <Table label="Fields of a quality receipt" columns={columns('Field')} rows={FIELDS} keyOf={({ field }) => field} />
        <p>
          The signed form is <code>jws</code>; <code>receipt</code> is its content in readable form. It is signed by the same keys as all{' '}
          <a href="/docs/receipts">receipts</a>. Sound is not part of it.
        </p>
      </Section>
      <Section id="sample" title="Which pictures are compared">
        <p>
          The pictures of a chunk are divided into up to 16 equal spans, and in each a pair of neighbours is compared. A rule determines
          their places, so a service cannot choose favourable ones. Pictures of the source and of the rendition are scaled to the size of
          the highest rendition, at most 1080p, and compared by VMAF, from 0 to 100. The receipt names every picture.
        </p>
        <p>
          Compared are progressive sources in standard dynamic range of at least 4 seconds. For interlaced, HDR and RGB sources, and for
          parts that could not be decoded, the receipt states the reason in place of scores.
        </p>
      </Section>
      <Section id="verify" title="Verify a receipt">
        <p>
          The command of the <a href="/docs/sdk">client</a> needs no connection. It verifies the signature and the rule of the sample. With{' '}
          <code>--source</code> it compares the hash of the file, and with <code>--segments</code>, a folder, the hash and the place of
          every segment. With <code>--key</code> it decrypts the segments and compares the settings that x264 wrote into the pictures with
          the options of the receipt. With an ffmpeg that has libvmaf (<code>--ffmpeg</code>) it computes all scores again.
        </p>
        <Snippet label="Shell" code={VERIFY} />
        <p>
          Segments are files <code>&lt;name&gt;.ts</code> as any player receives them; their names are in the playlists of a{' '}
          <a href="/docs/playback">playback session</a>, and the content key (16 bytes) is what the key URL of the playlist returns. The
          folder <code>segments/&lt;media&gt;</code> of the media storage holds the same files. Segments of AV1 are files{' '}
          <code>&lt;name&gt;.m4s</code>; the folder also needs the initialization section of each rendition, under any name. The command
          prints what it did not verify.
        </p>
        <p>
          It finds changed and swapped segments, another source, other options than those of the pictures, and scores that differ by more
          than 0.1 (<code>--tolerance</code>), which other versions of ffmpeg and libvmaf may require to be larger. Options of hardware
          encoders cannot be read from pictures.
        </p>
      </Section>
    </Guide>
  )
}

import type { Metadata } from 'next'
import { MAX_COLLECTIONS, MAX_COLLECTIONS_OF_VIDEO } from '#server/modules/collections/schema'
import { THUMBNAIL_WIDTHS } from '#server/modules/transcoding/pictures-schema'
import { MAX_METADATA_FILTERS } from '#server/modules/videos/filter-schema'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Languages } from '../_parts/Languages'
import { Snippet } from '../_parts/Snippet'
import { PROGRAMS, readProgram } from './_parts/programs'

export const metadata: Metadata = { title: 'Find your videos' }

const KEY = '-H "x-service-key: $REELGATE_API_KEY"'
const VIDEO = 'vid_3kTMd9cXv0dRr1gB7JmQeA'
const COLLECTION = 'col_5hR8nTq2Wz1Jd7Ys0VbKpA'

const FILTERS = [
  { name: 'status', meaning: 'Videos in this status.' },
  { name: 'collection', meaning: 'Videos of the collection with this id.' },
  { name: 'externalId', meaning: 'The video with this id of yours.' },
  { name: 'metadata[name]', meaning: `Videos with exactly this value under the name. Up to ${MAX_METADATA_FILTERS} names.` },
  { name: 'q', meaning: 'Videos with this text in their title, in small or large letters.' },
  { name: 'createdAfter', meaning: 'Videos created after a time (2026-11-21T09:00:00Z), or a day in UTC.' },
  { name: 'createdBefore', meaning: 'Videos created before it.' },
  { name: 'sort', meaning: 'newest (the default) or oldest.' },
]

const COLLECT = `curl -s "$REELGATE_URL/v1/collection" ${KEY} \\
  -H "Content-Type: application/json" -d '{"name": "Physics 1"}'            # id: ${COLLECTION}
curl -s -X PUT "$REELGATE_URL/v1/collection/${COLLECTION}/video/${VIDEO}" ${KEY}
curl -s "$REELGATE_URL/v1/video?collection=${COLLECTION}&expand=pictures" ${KEY}`

const PICTURES = `curl -s "$REELGATE_URL/v1/video/${VIDEO}/pictures?time=90&width=640&format=webp" ${KEY}`

const wrapped = (text: string) => <span style={{ whiteSpace: 'normal' }}>{text}</span>

export default function Finding() {
  const programs = PROGRAMS.map(({ language, file }) => ({
    language,
    program: <Snippet label={file} code={readProgram(file)} />,
  }))
  return (
    <Guide
      href="/docs/finding"
      title="Find your videos"
      lead="List the videos of a course, a user or a collection, page by page, with a picture of each. These parameters and endpoints are additions to version 1."
    >
      <Section id="filter" title="Filter the list">
        <p>
          <code>GET /v1/video</code> without parameters returns every video. Each of these parameters enables pagination, with 100 videos
          per page unless <code>limit</code> is given; a video must match all of them. An unknown parameter is then refused, so that a
          misspelt filter does not return all videos. Each filter reads an index.
        </p>
        <Table
          label="Filters"
          rows={FILTERS}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Parameter', cell: ({ name }) => <code>{name}</code>, phone: 'wide' },
            { title: 'Finds', cell: ({ meaning }) => wrapped(meaning), phone: 'wide' },
          ]}
        />
        <p>
          Send <code>pagination.nextCursor</code> as <code>cursor</code>, with the same filters, until it is null. All lists of the API end
          so; events have <code>pagination.position</code> in addition, the cursor for later ones. To find the videos of your users or
          courses, write their ids to the <a href="/docs/managing#change">metadata</a> of each upload.
        </p>
        <Languages programs={programs} />
      </Section>
      <Section id="collections" title="Collections">
        <p>
          A collection has a name and any number of videos. An account can have {MAX_COLLECTIONS.toLocaleString('en')}, and a video can be
          in {MAX_COLLECTIONS_OF_VIDEO}. Adding and removing can be repeated. Deleting a collection keeps its videos. The dashboard has the
          same collections: in the list and on the page of each video. <code>POST /v1/upload</code> takes the id of one as{' '}
          <code>collection</code>, and <code>expand=collections</code> shows those of a video. Changes require the scope{' '}
          <code>video:write</code>.
        </p>
        <Snippet label="Shell" code={COLLECT} />
      </Section>
      <Section id="pictures" title="Posters and thumbnails">
        <p>
          <code>expand=pictures</code> adds the poster and the storyboard to each video of a page. <code>GET …/pictures</code> returns a
          thumbnail at any second as well, {THUMBNAIL_WIDTHS.least} to {THUMBNAIL_WIDTHS.most.toLocaleString('en')} pixels wide and never
          enlarged. Give the URLs to your pages: each opens its own picture alone, without a key, for one to two hours. Request them when
          you render a page, and do not store them.
        </p>
        <Snippet label="Shell" code={PICTURES} />
      </Section>
    </Guide>
  )
}

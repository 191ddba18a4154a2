import type { Operation } from './operations.ts'

interface Sample {
  /** The call of the TypeScript client. */
  call: string
  /** The query of the request in curl. */
  query?: string
  /** The JSON body of the request. */
  body?: Record<string, unknown>
  /** The file that is the body of the request. */
  file?: string
}

const VIDEO = 'vid_3kTMd9cXv0dRr1gB7JmQeA'
const UPLOAD = 'upl_7gQ2mLw0Zt4Bc9Xr1VnKpD'
const COLLECTION = 'col_5hR8nTq2Wz1Jd7Ys0VbKpA'

/** An example of each operation; a test compiles the calls against the packed client, and another expects one for each operation. */
export const SAMPLES: Record<string, Sample> = {
  listVideos: { call: 'const videos = await reelgate.listVideos()' },
  getVideo: { call: `const video = await reelgate.getVideo('${VIDEO}')` },
  updateVideo: {
    call: `const video = await reelgate.updateVideo('${VIDEO}', {\n  title: 'Harbour at dawn',\n  metadata: { course: 'physics-1' },\n})`,
    body: { title: 'Harbour at dawn', metadata: { course: 'physics-1' } },
  },
  deleteVideo: { call: `const { restorableUntil } = await reelgate.deleteVideo('${VIDEO}')` },
  restoreVideo: { call: `const video = await reelgate.restoreVideo('${VIDEO}')` },
  listCaptions: { call: `const captions = await reelgate.listCaptions('${VIDEO}')` },
  putCaptions: {
    call: `import { readFile } from 'node:fs/promises'\n\nawait reelgate.putCaptions('${VIDEO}', 'en', await readFile('captions.vtt', 'utf8'), {\n  label: 'English',\n})`,
    query: 'label=English',
    file: 'captions.vtt',
  },
  deleteCaptions: { call: `await reelgate.deleteCaptions('${VIDEO}', 'en')` },
  generateCaptions: { call: `const { state } = await reelgate.generateCaptions('${VIDEO}', 'en')`, body: {} },
  getTranscript: {
    call: `const { content } = await reelgate.getTranscript('${VIDEO}', { format: 'text' })`,
    query: 'format=text',
  },
  putPoster: {
    call: `import { readFile } from 'node:fs/promises'\n\nawait reelgate.putPoster('${VIDEO}', await readFile('poster.jpg'))`,
    file: 'poster.jpg',
  },
  createDownload: {
    call: `const download = await reelgate.createDownload('${VIDEO}', { quality: '720p' })`,
    body: { quality: '720p' },
  },
  getPictures: { call: `const pictures = await reelgate.getPictures('${VIDEO}', { time: 42 })`, query: 'time=42' },
  getProcessing: { call: `const { stage, secondsLeft } = await reelgate.getProcessing('${VIDEO}')` },
  replaceSource: {
    call: `const { uploadUrl } = await reelgate.replaceSource('${VIDEO}')`,
    body: {},
  },
  cancelReplacement: { call: `await reelgate.cancelReplacement('${VIDEO}')` },
  listCollections: { call: 'const { collections } = await reelgate.listCollections()' },
  createCollection: { call: `const collection = await reelgate.createCollection('Physics 1')`, body: { name: 'Physics 1' } },
  getCollection: { call: `const collection = await reelgate.getCollection('${COLLECTION}')` },
  updateCollection: {
    call: `const collection = await reelgate.updateCollection('${COLLECTION}', 'Physics 2')`,
    body: { name: 'Physics 2' },
  },
  deleteCollection: { call: `await reelgate.deleteCollection('${COLLECTION}')` },
  addCollectionVideo: { call: `await reelgate.addCollectionVideo('${COLLECTION}', '${VIDEO}')` },
  removeCollectionVideo: { call: `await reelgate.removeCollectionVideo('${COLLECTION}', '${VIDEO}')` },
  createUpload: {
    call: `const { uploadUrl } = await reelgate.createUpload({\n  title: 'Lesson 1',\n  allowedOrigin: 'https://course.example.com',\n})`,
    body: { title: 'Lesson 1', allowedOrigin: 'https://course.example.com' },
  },
  listUploads: {
    call: `const { uploads, nextCursor } = await reelgate.listUploads({ status: 'waiting,uploading' })`,
    query: 'status=waiting,uploading',
  },
  getUpload: { call: `const upload = await reelgate.getUpload('${UPLOAD}')` },
  cancelUpload: { call: `const upload = await reelgate.cancelUpload('${UPLOAD}')` },
  importVideo: {
    call: `const upload = await reelgate.importVideo({ url: 'https://files.example.com/lesson-1.mp4', title: 'Lesson 1' })`,
    body: { url: 'https://files.example.com/lesson-1.mp4', title: 'Lesson 1' },
  },
  createPlaybackToken: { call: `const { playerUrl } = await reelgate.createPlaybackToken('${VIDEO}')` },
  getViewer: { call: `const { sessions, videos } = await reelgate.viewers.get('student-42')` },
  getViewerVideo: { call: `const { watchedSec } = await reelgate.viewers.getVideo('student-42', '${VIDEO}')` },
  listVideoViewers: { call: `const { viewers, nextCursor } = await reelgate.viewers.listOfVideo('${VIDEO}')` },
  listViewers: { call: 'const { viewers, nextCursor } = await reelgate.viewers.list()' },
  eraseViewer: { call: `const receipt = await reelgate.viewers.erase('student-42')` },
  endViewer: { call: `const { ended } = await reelgate.viewers.end('student-42')` },
  getPlays: {
    call: `const { totals, groups } = await reelgate.analytics.plays({ from: '2026-11-01', to: '2026-11-21', groupBy: 'country' })`,
    query: 'from=2026-11-01&to=2026-11-21&groupBy=country',
  },
  getQuality: {
    call: `const { totals, errorKinds } = await reelgate.analytics.quality({ from: '2026-11-01', to: '2026-11-21' })`,
    query: 'from=2026-11-01&to=2026-11-21',
  },
  getPlaybackManifest: { call: `const token = 'pt_…'\n\nconst manifest = await reelgate.getPlaybackManifest(token)` },
  getBalance: { call: 'const { balance, unit } = await reelgate.getBalance()' },
  getUsage: {
    call: `const { totals } = await reelgate.getUsage({ from: '2026-11-01', to: '2026-11-30' })`,
    query: 'from=2026-11-01&to=2026-11-30',
  },
  listEvents: { call: 'const { events, position } = await reelgate.listEvents({ wait: 20 })', query: 'wait=20' },
  createSampleEvent: { call: `const event = await reelgate.createSampleEvent('video.processing.completed')` },
  getDescription: { call: 'const description = await reelgate.getDescription()' },
}

const PLACES: Record<string, string> = { token: '$PLAYBACK_TOKEN', language: 'en' }

/** Returns the request in curl, with the address and the key in variables of the shell. */
export function curlOf({ method, path, operationId, parameters, security }: Operation): string {
  const { query, body, file } = SAMPLES[operationId] ?? {}
  const place = (_: string, name: string) => String(parameters.find((one) => one.name === name)?.example ?? PLACES[name] ?? `{${name}}`)
  const address = `"$REELGATE_URL${path.replace(/\{(\w+)\}/g, place)}${query ? `?${query}` : ''}"`
  const lines = [`curl -s${method === 'GET' ? '' : ` -X ${method}`} ${address}`]
  if (security.length > 0) lines.push('-H "x-service-key: $REELGATE_API_KEY"')
  if (body) lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`)
  if (file) lines.push('-H "Content-Type: application/octet-stream"', `--data-binary @${file}`)
  return lines.join(' \\\n  ')
}

/** Returns the request as a program with the TypeScript client. */
export function clientOf({ operationId }: Pick<Operation, 'operationId'>): string {
  const { call = '' } = SAMPLES[operationId] ?? {}
  const [, imports = '', rest = call] = call.match(/^(import .*\n)\n([\s\S]*)$/) ?? []
  return `${imports}import { Reelgate } from '@reelgate/sdk'\n\nconst reelgate = new Reelgate()\n${rest}`
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { makeAccessLogFile } from './http/access-log.ts'
import { PAGES } from './http/page-turns.ts'
import { makeDirectTus } from './http/uploads/direct-uploads.ts'
import { makeTus } from './http/uploads/resumable-uploads.ts'
import { makeAcceptedKeys } from './modules/access/keys/active.ts'
import { makeKeys } from './modules/access/keys/authenticate.ts'
import { KeyLookUps } from './modules/access/keys/look-up.ts'
import { KeyStops } from './modules/access/keys/stop-reports.ts'
import { GroupedQuota } from './modules/access/quotas/batched-grant.ts'
import { makePastDays } from './modules/analytics/account-days.ts'
import { DeliveredBytes } from './modules/analytics/delivered/delivered-bytes.ts'
import { makeDeliveredMedia } from './modules/analytics/delivered/delivered-streams.ts'
import { Traffic } from './modules/analytics/requests/collector.ts'
import { makeClientKinds, makeViewings } from './modules/analytics/viewing/record-viewing.ts'
import { ViewingCounts } from './modules/analytics/viewing/viewing-counts.ts'
import { makeReceiptKeys } from './modules/audit/receipts/jwks.ts'
import { SecurityCounters } from './modules/audit/security-counters.ts'
import { makeStripe } from './modules/billing/top-up.ts'
import { makeCaptionTexts } from './modules/delivery/playlists/captions.ts'
import { makeStreams } from './modules/delivery/playlists/streams.ts'
import { makeThumbnails } from './modules/delivery/playlists/thumbnails.ts'
import { makeFixtureMedia } from './modules/delivery/segments/fixture-media.ts'
import { makeSegmentCache } from './modules/delivery/segments/segment-cache.ts'
import { Ends } from './modules/delivery/sessions/ends.ts'
import { makeEmbedDomains } from './modules/delivery/sessions/frame-ancestors.ts'
import { KeySessions } from './modules/delivery/sessions/key-sessions.ts'
import { LiveSessions } from './modules/delivery/sessions/live-sessions.ts'
import { makeViewerPlaces } from './modules/delivery/sessions/viewer-places.ts'
import { makeWithheldVideos } from './modules/delivery/sessions/withheld.ts'
import { makePlayableVideos } from './modules/delivery/tokens/playable.ts'
import { makePlaybackTokenSecrets } from './modules/delivery/tokens/token.ts'
import { makeVerifiedObjects } from './modules/delivery/tokens/verify-object.ts'
import { makePasswordCost } from './modules/identity/sign-in/password-hash.ts'
import { Throttle } from './modules/identity/sign-in/throttle.ts'
import { makeEncoderChoice } from './modules/transcoding/plan/encoder-choice.ts'
import { Intake } from './modules/transcoding/tasks/intake.ts'
import { UploadLeases } from './modules/uploads/resumable/lease.ts'
import { makeUploadPlace } from './modules/uploads/resumable/make-place.ts'
import { makePartTurns } from './modules/uploads/resumable/part-writer.ts'
import { makeVideos } from './modules/videos/get.ts'
import { makeListRenderer, makeVideoLists } from './modules/videos/list/list.ts'
import { makeReportedFaults } from './modules/videos/media-faults.ts'
import { makeOpenedSecrets } from './modules/webhooks/endpoints/secrets.ts'
import { type GivenSettings, readSettings } from './platform/config/config.ts'
import { makeDerivedKeys } from './platform/config/secrets.ts'
import { version } from './platform/config/version.ts'
import { createContainer, type Factories, type Services, setContainer } from './platform/container.ts'
import { makeClockSkew } from './platform/database/clock.ts'
import {
  makeConnectionTurns,
  makePool,
  makePrisma,
  makeProbePool,
  makeStatementSec,
  makeVitalPool,
  makeVitalTurns,
} from './platform/database/database.ts'
import { migrationNames } from './platform/database/migration-names.ts'
import { NotificationListener } from './platform/database/notifications.ts'
import { makeReplica } from './platform/database/read-replica.ts'
import { makeFoundPrograms } from './platform/ffmpeg/ffmpeg-programs.ts'
import { makePictureTurns } from './platform/ffmpeg/picture.ts'
import { detectSandbox } from './platform/ffmpeg/sandbox.ts'
import { DiskSpaceMonitor } from './platform/files/disk-space.ts'
import { makeJobQueue } from './platform/job-queue.ts'
import { makeLeases } from './platform/leases.ts'
import { makeCountries } from './platform/network/countries.ts'
import { makeLog } from './platform/observe/log.ts'
import { makeMetricRuns } from './platform/observe/metric-readings.ts'
import { makeMetricCells } from './platform/observe/metrics.ts'
import { ProcessRegistry } from './platform/process-registry.ts'
import { makeHashing, makeHashThreads, makePasswordThreads } from './platform/secrets/argon2.ts'
import { makeMasterKeys } from './platform/secrets/seal.ts'
import { makeSpeechEngine } from './platform/speech/make-engine.ts'
import { makeFetchedBytes } from './platform/storage/fetched-files.ts'
import { makeInstallation } from './platform/storage/installation-marker.ts'
import { makeMediaMove } from './platform/storage/media-move.ts'
import { makePresignedUrls } from './platform/storage/presign.ts'
import { makeStorage } from './platform/storage/storage.ts'
import { LastCaller } from './platform/turns/caller.ts'
import { makeLongAnswers } from './platform/turns/long-answers.ts'
import { makeProcessor } from './platform/turns/processor.ts'
import { BODIES, CHANGES, MEDIA, REQUESTS, TOKENS } from './platform/turns/request-turns.ts'
import { Turns } from './platform/turns/turns.ts'

/** Every service of a process. It compiles only if each declared service has a factory. */
export const FACTORIES: Factories = {
  // platform
  settings: readSettings,
  log: makeLog,
  metricCells: makeMetricCells,
  metricRuns: makeMetricRuns,
  processMetrics: () => ({}),
  tracing: () => undefined,
  callers: () => new AsyncLocalStorage(),
  lastCaller: () => new LastCaller(),
  clockSkew: makeClockSkew,
  derivedKeys: makeDerivedKeys,
  masterKeys: makeMasterKeys,
  pool: makePool,
  vitalPool: makeVitalPool,
  connectionTurns: makeConnectionTurns,
  vitalTurns: makeVitalTurns,
  probePool: makeProbePool,
  prisma: makePrisma,
  replica: makeReplica,
  notifications: () => new NotificationListener(),
  installedBuild: () => ({ version: version(), migrations: migrationNames() }),
  jobQueue: makeJobQueue,
  processRegistry: () => new ProcessRegistry(),
  storage: makeStorage,
  installation: makeInstallation,
  mediaMove: makeMediaMove,
  s3Clients: () => new Map(),
  presignedUrls: makePresignedUrls,
  fetchedInUse: () => new Map(),
  fetchedBytes: makeFetchedBytes,
  uploadSpace: () => new DiskSpaceMonitor(),
  countries: makeCountries,
  longAnswers: makeLongAnswers,
  longAnswersEnding: () => new AbortController(),
  hashing: makeHashing,
  hashThreads: makeHashThreads,
  passwordThreads: makePasswordThreads,
  statementSec: makeStatementSec,
  processor: makeProcessor,
  pictureTurns: makePictureTurns,
  ffmpegPrograms: makeFoundPrograms,
  sandbox: detectSandbox,
  speechEngine: makeSpeechEngine,
  // modules
  securityCounters: () => new SecurityCounters(),
  receiptKeys: makeReceiptKeys,
  pastDays: makePastDays,
  passwordCost: makePasswordCost,
  signInThrottle: () => new Throttle(),
  requestTurns: () => new Turns(REQUESTS),
  mediaTurns: () => new Turns(MEDIA),
  changeTurns: () => new Turns(CHANGES),
  bodyTurns: () => new Turns(BODIES),
  tokenTurns: () => new Turns(TOKENS),
  pageTurns: () => new Turns(PAGES),
  openedSecrets: makeOpenedSecrets,
  stripe: makeStripe,
  keys: makeKeys,
  keyLookUps: () => new KeyLookUps(),
  acceptedKeys: makeAcceptedKeys,
  keyStops: () => new KeyStops(),
  quota: () => new GroupedQuota(),
  videos: makeVideos,
  videoLists: makeVideoLists,
  listRenderer: makeListRenderer,
  reportedFaults: makeReportedFaults,
  posterThrottle: () => new Throttle(),
  intake: () => new Intake(),
  encoderChoice: makeEncoderChoice,
  uploadPlace: makeUploadPlace,
  uploadRequests: () => ({ running: 0 }),
  leases: makeLeases,
  uploadLeases: () => new UploadLeases(),
  uploadCreations: () => new Map(),
  commitFlushes: () => ({}),
  partTurns: makePartTurns,
  playableVideos: makePlayableVideos,
  fixtureMedia: makeFixtureMedia,
  streams: makeStreams,
  playbackTokenSecrets: makePlaybackTokenSecrets,
  playbackEnds: () => new Ends(),
  keySessions: () => new KeySessions(),
  liveSessions: () => new LiveSessions(),
  withheldVideos: makeWithheldVideos,
  segmentCache: makeSegmentCache,
  verifiedObjects: makeVerifiedObjects,
  thumbnails: makeThumbnails,
  captionTexts: makeCaptionTexts,
  embedDomains: makeEmbedDomains,
  trafficCollector: () => new Traffic(),
  viewerPlaces: makeViewerPlaces,
  viewerKey: () => ({}),
  viewings: makeViewings,
  clientKinds: makeClientKinds,
  viewingCounts: () => new ViewingCounts(),
  deliveredBytes: () => new DeliveredBytes(),
  deliveredMedia: makeDeliveredMedia,
  shareThrottle: () => new Throttle(),
  viewingThrottle: () => new Throttle(),
  accountActivityRefresh: () => ({}),
  // transports
  readiness: () => ({}),
  gatheredMetrics: () => ({}),
  accessLogFile: () => makeAccessLogFile(),
  tus: makeTus,
  directTus: makeDirectTus,
  worker: () => ({}),
}

/** Builds and returns this process's container from the settings of the environment. `given` overrides them. */
export function buildContainer(given: GivenSettings = {}): Services {
  const container = createContainer({ ...FACTORIES, settings: () => readSettings(given) })
  setContainer(container)
  return container
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { makeAccessLogFile } from './http/access-log.ts'
import { makeDirectTus } from './http/direct-uploads.ts'
import { PAGES } from './http/page-turns.ts'
import { makeTus } from './http/resumable-uploads.ts'
import { makePastDays } from './modules/analytics/account-days.ts'
import { Traffic } from './modules/analytics/collector.ts'
import { DeliveredBytes } from './modules/analytics/delivered-bytes.ts'
import { makeDeliveredMedia } from './modules/analytics/delivered-streams.ts'
import { makeClientKinds, makeViewings } from './modules/analytics/record-viewing.ts'
import { ViewingCounts } from './modules/analytics/viewing-counts.ts'
import { makeAcceptedKeys } from './modules/api-keys/accepted.ts'
import { makeKeys } from './modules/api-keys/authenticate.ts'
import { KeyLookUps } from './modules/api-keys/look-up.ts'
import { KeyStops } from './modules/api-keys/stop-reports.ts'
import { SecurityCounters } from './modules/audit/security-counters.ts'
import { makePasswordCost } from './modules/auth/password-hash.ts'
import { Throttle } from './modules/auth/throttle.ts'
import { makeStripe } from './modules/billing/stripe.ts'
import { makeCaptionTexts } from './modules/playback/captions.ts'
import { Ends } from './modules/playback/ends.ts'
import { makeFixtureMedia } from './modules/playback/fixture-media.ts'
import { makeEmbedDomains } from './modules/playback/frame-ancestors.ts'
import { KeySessions } from './modules/playback/key-sessions.ts'
import { LiveSessions } from './modules/playback/live-sessions.ts'
import { makePlayableVideos } from './modules/playback/playable.ts'
import { makeSegmentCache } from './modules/playback/segment-cache.ts'
import { makeStreams } from './modules/playback/streams.ts'
import { makeThumbnails } from './modules/playback/thumbnails.ts'
import { makePlaybackTokenSecrets } from './modules/playback/token.ts'
import { makeVerifiedObjects } from './modules/playback/verify-object.ts'
import { makeWithheldVideos } from './modules/playback/withheld.ts'
import { GroupedQuota } from './modules/quotas/batched-grant.ts'
import { makeReceiptKeys } from './modules/receipts/jwks.ts'
import { makeEncoderChoice } from './modules/transcoding/encoder-choice.ts'
import { Intake } from './modules/transcoding/intake.ts'
import { UploadLeases } from './modules/uploads/lease.ts'
import { makeUploadPlace } from './modules/uploads/make-place.ts'
import { makePartTurns } from './modules/uploads/part-writer.ts'
import { makeVideos } from './modules/videos/get.ts'
import { makeListRenderer, makeVideoLists } from './modules/videos/list.ts'
import { makeReportedFaults } from './modules/videos/media-faults.ts'
import { makeOpenedSecrets } from './modules/webhooks/secrets.ts'
import { makeHashing, makeHashThreads, makePasswordThreads } from './platform/argon2.ts'
import { LastCaller } from './platform/caller.ts'
import { makeClockSkew } from './platform/clock.ts'
import { type GivenSettings, readSettings } from './platform/config.ts'
import { createContainer, type Factories, type Services, setContainer } from './platform/container.ts'
import { makeCountries } from './platform/countries.ts'
import {
  makeConnectionTurns,
  makePool,
  makePrisma,
  makeProbePool,
  makeStatementSec,
  makeVitalPool,
  makeVitalTurns,
} from './platform/database.ts'
import { DiskSpaceMonitor } from './platform/disk-space.ts'
import { makeFoundPrograms } from './platform/ffmpeg-programs.ts'
import { makeJobQueue } from './platform/job-queue.ts'
import { makeLeases } from './platform/leases.ts'
import { makeLog } from './platform/log.ts'
import { makeLongAnswers } from './platform/long-answers.ts'
import { makeMetricRuns } from './platform/metric-readings.ts'
import { makeMetricCells } from './platform/metrics.ts'
import { migrationNames } from './platform/migration-names.ts'
import { NotificationListener } from './platform/notifications.ts'
import { makePictureTurns } from './platform/picture.ts'
import { ProcessRegistry } from './platform/process-registry.ts'
import { makeProcessor } from './platform/processor.ts'
import { makeReplica } from './platform/read-replica.ts'
import { BODIES, CHANGES, REQUESTS, TOKENS } from './platform/request-turns.ts'
import { detectSandbox } from './platform/sandbox.ts'
import { makeMasterKeys } from './platform/seal.ts'
import { makeDerivedKeys } from './platform/secrets.ts'
import { makeFetchedBytes } from './platform/storage/fetched-files.ts'
import { makeInstallation } from './platform/storage/installation-marker.ts'
import { makeMediaMove } from './platform/storage/media-move.ts'
import { makePresignedUrls } from './platform/storage/presign.ts'
import { makeStorage } from './platform/storage/storage.ts'
import { Turns } from './platform/turns.ts'
import { version } from './platform/version.ts'

/** Every service of a process. It does not compile until each declared service has its factory. */
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
  // modules
  securityCounters: () => new SecurityCounters(),
  receiptKeys: makeReceiptKeys,
  pastDays: makePastDays,
  passwordCost: makePasswordCost,
  signInThrottle: () => new Throttle(),
  requestTurns: () => new Turns(REQUESTS),
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

/** Builds this process's container, with the settings of the environment and those in `given` instead. Returns it. */
export function buildContainer(given: GivenSettings = {}): Services {
  const container = createContainer({ ...FACTORIES, settings: () => readSettings(given) })
  setContainer(container)
  return container
}

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { gateFiles } from './scripts/test-scope.mjs'
import { readSettings } from './server/platform/config/config.ts'
import { createContainer, type Factories, setContainer } from './server/platform/container.ts'
import { ffmpegProgram, makeFoundPrograms, programsNotInUse } from './server/platform/ffmpeg/ffmpeg-programs.ts'

/**
 * Tests that depend on the version of ffmpeg, with one input of each matrix (server/testing/media/rounds.ts). Fixtures and expectations are the
 * same for all versions.
 */
const MEDIA =
  'server/modules/transcoding/*/{probe,copy-source,encode-chunk,encode-audio,damaged-chunk,key-frames,closed-captions,real-world,odd-sources,tiny-film,timeline}.process.test.ts'
/** More of them, which `npm run soak -- versions` runs, and all of these whole. */
const MORE_MEDIA = [
  'server/modules/transcoding/{,*/}{attacks,encode,damaged-track,iframes}.process.test.ts',
  'server/platform/ffmpeg/picture.process.test.ts',
]
const media = [MEDIA, ...(process.env.REELGATE_SOAK ? MORE_MEDIA : [])]
const named = (kind: string) => `{app,lab,scripts,server}/**/*.${kind}test.ts`

/** `npm test`; a file that is run by its name is not bound to the gate. */
const isGate = process.env.REELGATE_TESTS === 'gate'
const gated = (kind: string) => (isGate ? gateFiles.filter((path) => path.endsWith(`.${kind}test.ts`)) : [named(kind)])

// All that the search for programs reads.
setContainer(createContainer({ settings: readSettings, ffmpegPrograms: makeFoundPrograms } as Factories))
const found = { FFMPEG_PATH: ffmpegProgram() }
const installed = programsNotInUse()
/**
 * The programs of all tests, and those with which `media` repeats some; with a single ffmpeg nothing is repeated. Those from npm come first:
 * one of a distribution loads two hundred libraries, a tenth of a second for each of two thousand runs. FFMPEG_PATH chooses others.
 */
const [programs, otherPrograms] = installed && !process.env.FFMPEG_PATH ? [installed, found] : [found, installed]
const globalSetup = ['server/testing/global-setup.ts']

/** Each tier of tests is a project, selected by file name: `vitest run --project unit`. See "Tests" in CONTRIBUTING.md. */
export default defineConfig({
  test: {
    setupFiles: ['server/testing/setup.ts'],
    // Node keeps the compiled code of the programs that tests start: half of the time of a short one.
    // Files for tests are made by one ffmpeg, whichever the tests use: each is encoded once.
    env: {
      NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/compiled'),
      REELGATE_FIXTURE_FFMPEG: programs.FFMPEG_PATH,
      ...programs,
      // As that of the databases (server/testing/database.ts): no result may depend on the zone of a machine.
      TZ: 'America/St_Johns',
      // Tests whose subject they are switch them on.
      AV1_AFTER_HOURS: '',
    },
    pool: 'forks',
    // Two more than cores: tests often wait, for a lock, another process or the end of an interval.
    maxWorkers: availableParallelism() + 2,
    // Prints the output of a test when it fails; the report at the end lists slow tests.
    silent: 'passed-only',
    slowTestThreshold: 60_000,
    tags: [{ name: 'deep', description: 'takes too long for `npm test`; runs in `npm run test:all`' }],
    // They end what hangs, on a machine of a fifth of the speed as well; none of them is an assertion about time.
    testTimeout: isGate ? 120_000 : 600_000,
    hookTimeout: isGate ? 120_000 : 600_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: [named('')], exclude: ['db', 'process', 'built'].map((kind) => named(`${kind}.`)), isolate: false },
      },
      { extends: true, test: { name: 'database', include: [named('db.')], globalSetup, isolate: false } },
      { extends: true, test: { name: 'process', include: gated('process.'), globalSetup, isolate: false } },
      {
        extends: true,
        test: {
          name: 'media',
          include: otherPrograms && !isGate ? media : [],
          env: { ...otherPrograms, REELGATE_OTHER_FFMPEG: '1' },
          globalSetup,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'built', include: gated('built.'), globalSetup } },
    ],
  },
})

import { defineConfig } from 'vitest/config'
import { checkPrograms, programsNotInUse } from './server/platform/ffmpeg-programs.ts'
import config from './vitest.config.ts'

/** Tests that depend on the version of ffmpeg. Fixtures and expectations are the same for all versions. */
const MEDIA = ['server/modules/transcoding/{probe,encode,real-world,odd-sources,tiny-film}.test.ts', 'server/platform/picture.test.ts']

/**
 * Repeats the media tests with the ffmpeg that npm installed, on a machine whose own ffmpeg runs everything else. With a single ffmpeg
 * there is nothing to repeat.
 */
const programs = programsNotInUse()
console.log(programs ? `Media tests again, with ${programs.FFMPEG_PATH}` : `The one ffmpeg here is ${checkPrograms()}: tested already.`)

export default defineConfig({
  test: { ...config.test, include: programs ? MEDIA : [], env: { ...programs }, passWithNoTests: true },
})

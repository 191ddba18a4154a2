import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

/** Returns an Uppy for one file. Add a user interface or a file, then call upload(). Resumes an interrupted upload of the same file. */
export const makeUploader = (uploadUrl) =>
  new Uppy({ restrictions: { maxNumberOfFiles: 1 } }).use(Tus, {
    endpoint: uploadUrl,
    chunkSize: 8 * 1024 * 1024,
    retryDelays: [0, 1000, 3000, 5000, 10000, 20000],
  })

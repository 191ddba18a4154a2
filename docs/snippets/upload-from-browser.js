import { Upload } from 'tus-js-client'

/** Uploads a File. Resumes an interrupted upload of the same file, even after a reload of the page. */
export async function uploadFile(file, uploadUrl, onProgress) {
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: uploadUrl,
      chunkSize: 8 * 1024 * 1024,
      retryDelays: [0, 1000, 3000, 5000, 10000, 20000],
      metadata: { filename: file.name },
      removeFingerprintOnSuccess: true,
      onProgress: (sent, total) => onProgress(sent / total),
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('X-Video-Id')),
      onError: reject,
    })
    upload.findPreviousUploads().then((previous) => {
      const same = previous.find((one) => one.uploadUrl === uploadUrl)
      if (same) upload.resumeFromPreviousUpload(same)
      upload.start()
    }, reject)
  })
}

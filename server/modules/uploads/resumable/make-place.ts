import { storageLocation } from '../../../platform/storage/s3-client.ts'
import { makeUploadFolder } from './folder.ts'
import { makeMultipartUploads } from './multipart-uploads.ts'
import type { UploadPlace } from './place.ts'

/** Returns the place of this installation's uploads: where its media is. */
export const makeUploadPlace = (): UploadPlace => (storageLocation() ? makeMultipartUploads() : makeUploadFolder())

/** A file of known size, read in parts. */
export interface FileSource {
  /** Sent to the service, which uses it as the title if you give none. */
  name: string | undefined
  size: number
  /** Returns the bytes from `start` to `end`, exclusive. */
  read(start: number, end: number): Promise<Blob>
  close(): Promise<void>
}

/** Returns the source of a Blob or a File. */
export const blobSource = (blob: Blob): FileSource => ({
  name: (blob as Partial<File>).name,
  size: blob.size,
  read: async (start, end) => blob.slice(start, end),
  close: async () => {},
})

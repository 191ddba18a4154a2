/** Why a backup is not whole, in words for the operator. The backup is at fault, and not the place it is in. */
export class BackupFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupFault'
  }
}

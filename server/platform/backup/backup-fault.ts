/** Why a backup is incomplete or damaged, in words for the operator. The fault is in the backup, not in the place where it is stored. */
export class BackupFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupFault'
  }
}

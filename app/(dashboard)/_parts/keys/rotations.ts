import type { ListedKey, Rotation } from '#server/modules/dashboard/list-keys'

/** Returns the other keys of the rotation chain that still work, until their overlaps end; newest first. */
export const stillWorking = ({ id, rotations }: Pick<ListedKey, 'id' | 'rotations'>): Rotation[] =>
  rotations.filter((one) => one.id !== id && one.state === 'ROTATING_OUT')

/** Returns the key that replaced this one last; undefined for the newest key of a chain, and for one that was never rotated. */
export const replacementOf = ({ id, rotations }: Pick<ListedKey, 'id' | 'rotations'>): Rotation | undefined =>
  rotations[0]?.id === id ? undefined : rotations[0]
